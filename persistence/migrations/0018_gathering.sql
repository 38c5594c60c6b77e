-- Gathering: units of several chains become one, which is a unit of its own.

ALTER TABLE holdfast.units
  ADD COLUMN batch_id uuid REFERENCES holdfast.units, -- what a gathered unit has become part of
  ADD COLUMN list_id uuid,      -- of which unit's list its chain is an item; null: of none
  ADD COLUMN list_size integer, -- how many items that had
  ADD COLUMN list_part integer, -- which of them it is, from 0
  DROP CONSTRAINT units_state_check,
  -- judgable, paused, finalized, canceled, gathered
  ADD CONSTRAINT units_state_check CHECK (state BETWEEN 1 AND 5),
  -- A unit is made as gathered, or never is.
  ADD CONSTRAINT units_gathered_check
    CHECK (state <> 5 OR (changed_at IS NULL AND truth IS NULL)),
  ADD CONSTRAINT units_batch_check CHECK (batch_id IS NULL OR (state = 5 AND batch_id <> unit_id)),
  ADD CONSTRAINT units_list_check CHECK (num_nulls(list_id, list_size, list_part) IN (0, 3)),
  ADD CONSTRAINT units_list_part_check CHECK (list_part >= 0 AND list_part < list_size);

-- What a step that gathers reads when it starts. Costs other units nothing, because they are not in
-- it; the same goes for the next one.
CREATE INDEX units_waiting ON holdfast.units (step_id, ordinal)
  WHERE state = 5 AND batch_id IS NULL;

-- What a batch is made of.
CREATE INDEX units_by_batch ON holdfast.units (batch_id) WHERE batch_id IS NOT NULL;

-- Reports ---------------------------------------------------------------------------------------

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
       u.list_id AS list_unit_id, u.list_size, u.list_part
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;
