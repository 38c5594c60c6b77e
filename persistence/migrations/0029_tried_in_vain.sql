-- works with programs of migration 25
-- What a task keeps from state to state (docs/adr/0051): how often it was tried in vain, so that none
-- is tried for ever, and the claim of its last ejection, which comes again when its answer was lost.
-- A task that has ended needs neither.

ALTER TABLE holdfast.tasks
  ADD COLUMN failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  ADD COLUMN ejection uuid;
