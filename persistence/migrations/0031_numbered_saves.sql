-- works with programs of migration 25
-- The number of the last save of a task's worker, and the lease under which it was sent: what comes
-- late, because it was sent again, is told from what comes next. A task that has ended needs neither.

ALTER TABLE holdfast.tasks
  ADD COLUMN saved_under bigint NOT NULL DEFAULT 0 CHECK (saved_under >= 0),
  ADD COLUMN saved_number bigint NOT NULL DEFAULT 0 CHECK (saved_number >= 0);
