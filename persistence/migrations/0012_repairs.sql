-- Repairs: what was finished before a contributor was removed is looked at again without them.

ALTER TABLE holdfast.units
  ADD COLUMN reopened integer NOT NULL DEFAULT 0, -- how many results of it were taken back
  ADD CONSTRAINT units_reopened_check CHECK (reopened >= 0);

-- One passage over the units of a step, in their order of arrival. What it does to units and how
-- far it is are written together, so that it goes on behind its bookmark after any crash.
CREATE TABLE holdfast.repairs (
  repair_id uuid PRIMARY KEY,
  step_id uuid NOT NULL,
  asked_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  through bigint NOT NULL CHECK (through >= 0), -- ordinal of the last unit when it was asked for
  bookmark bigint NOT NULL CHECK (bookmark BETWEEN 0 AND through), -- units up to here are done
  found bigint NOT NULL,
  unchanged bigint NOT NULL,
  changed bigint NOT NULL,
  reopened bigint NOT NULL,
  went_on bigint NOT NULL,
  disregarded bigint NOT NULL CHECK (disregarded >= 0),
  dry_run boolean NOT NULL,
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  CONSTRAINT repairs_figures_check
    CHECK (unchanged >= 0 AND changed >= 0 AND reopened >= 0 AND went_on >= 0),
  CONSTRAINT repairs_sum_check CHECK (found = unchanged + changed + reopened + went_on)
) WITH (fillfactor = 50);

-- What a step has to go on with when it starts.
CREATE INDEX repairs_open ON holdfast.repairs (step_id, asked_at, repair_id)
  WHERE bookmark < through;

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.repairs AS
SELECT repair_id, step_id AS workflow_step_id, contributor_id, dry_run, bookmark = through AS done,
       through AS units, bookmark AS units_done, found, unchanged, changed, reopened, went_on,
       disregarded AS judgments_disregarded, asked_at, changed_at
FROM holdfast.repairs;

CREATE OR REPLACE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       CASE WHEN u.truth IS NOT NULL AND u.state = 1 THEN 'Golden'
            ELSE (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled'])[u.state] END AS state,
       j.judgment_count, CASE WHEN u.truth IS NULL THEN u.slots END AS judgments_per_unit,
       l.assignment_count, (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal, u.truth IS NOT NULL AS is_test_question,
       u.loops, u.part, u.reopened
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;
