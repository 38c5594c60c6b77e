-- works with programs of migration 34
-- Removals of contributors from a step, a workflow or everywhere (docs/adr/0114). The host of the
-- shard of a contributor's name alone writes their rows. Every node reads what has changed since
-- its last look by the transaction that has changed it: `changed_in` is compared with the oldest
-- transaction that was under way then, so that no commit is passed over, however late it comes.
-- A program of an earlier version leaves the rows alone, and gives out work all the same.
CREATE TABLE holdfast.contributor_removals (
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  place_id uuid NOT NULL, -- of the step or workflow; nil: everywhere
  at timestamptz NOT NULL,
  until timestamptz,    -- null: for good
  ended_at timestamptz, -- they were reinstated then
  changed_in bigint NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
  scope smallint NOT NULL CHECK (scope BETWEEN 1 AND 3), -- step, workflow, everywhere
  keeps_judgments boolean NOT NULL,
  reason text NOT NULL CHECK (octet_length(reason) <= 512),
  by_whom text NOT NULL,
  PRIMARY KEY (contributor_id, scope, place_id)
) WITH (fillfactor = 70);

CREATE INDEX contributor_removals_changed ON holdfast.contributor_removals (changed_in);

-- The standing in a step follows from a removal, and ends with it.
ALTER TABLE holdfast.contributor_standings
  ADD COLUMN by_removal boolean NOT NULL DEFAULT false;

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.removals AS
SELECT contributor_id, (ARRAY['step', 'workflow', 'everywhere'])[scope] AS scope,
       CASE WHEN scope = 1 THEN place_id END AS workflow_step_id,
       CASE WHEN scope = 2 THEN place_id END AS workflow_id,
       ended_at IS NULL AND (until IS NULL OR now() < until) AS is_active,
       nullif(reason, '') AS reason, keeps_judgments, nullif(by_whom, '') AS removed_by,
       at AS removed_at, until, ended_at AS reinstated_at
FROM holdfast.contributor_removals;
