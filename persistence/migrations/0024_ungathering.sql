-- Ungathering: a repair takes apart the batches that lose one of their units; the others wait for
-- another batch.

ALTER TABLE holdfast.units
  -- how often a gathered unit was taken out of its batch; the batch that goes on from it has that
  -- as its parent_reopened
  ADD COLUMN ungathered integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT units_ungathered_check
    CHECK (ungathered >= 0 AND (ungathered = 0 OR state IN (4, 5)));

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
       u.list_id AS list_unit_id, u.list_size, u.list_part, u.parent_reopened, u.forgiven_at,
       u.ungathered
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;
