-- Reissuing: what was made from a result that a repair takes back is withdrawn, and made anew from
-- the next one.

ALTER TABLE holdfast.units
  -- how many results of the parent had been taken back when the unit was made
  ADD COLUMN parent_reopened integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT units_parent_reopened_check
    CHECK (parent_reopened >= 0 AND (parent_reopened = 0 OR parent_id IS NOT NULL)),
  -- A withdrawn unit keeps the result that it had, to be seen.
  DROP CONSTRAINT units_check,
  ADD CONSTRAINT units_result_check
    CHECK (CASE state WHEN 3 THEN result IS NOT NULL WHEN 4 THEN true ELSE result IS NULL END),
  DROP CONSTRAINT units_route_check,
  ADD CONSTRAINT units_route_check CHECK (route IS NULL OR (route >= -1 AND state IN (3, 4)));

-- Each result of a parent has at most one child for each place in a step (I-5).
DROP INDEX holdfast.units_by_parent;
CREATE UNIQUE INDEX units_by_parent ON holdfast.units (parent_id, step_id, part, parent_reopened)
  WHERE parent_id IS NOT NULL;

ALTER TABLE holdfast.repairs
  ADD COLUMN reissued bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT repairs_reissued_check CHECK (reissued BETWEEN 0 AND changed + reopened);

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.repairs AS
SELECT repair_id, step_id AS workflow_step_id, contributor_id, dry_run, bookmark = through AS done,
       through AS units, bookmark AS units_done, found, unchanged, changed, reopened, went_on,
       disregarded AS judgments_disregarded, asked_at, changed_at, reissued
FROM holdfast.repairs;

CREATE OR REPLACE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       CASE WHEN u.truth IS NOT NULL AND u.state = 1 THEN 'Golden'
            ELSE (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled', 'Gathered'])[u.state] END
       AS state,
       j.judgment_count, CASE WHEN u.truth IS NULL THEN u.slots END AS judgments_per_unit,
       l.assignment_count, (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal, u.truth IS NOT NULL AS is_test_question,
       u.loops, u.part, u.reopened, u.version, u.batch_id AS batch_unit_id,
       u.list_id AS list_unit_id, u.list_size, u.list_part, u.parent_reopened
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;
