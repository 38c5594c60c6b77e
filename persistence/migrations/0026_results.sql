-- works with programs of migration 25
-- What stands in the end of each item of source data, and where that was found.

-- As before, but that a `next` which names no step says nothing: then the routes do.
CREATE OR REPLACE VIEW report.routes_taken AS
SELECT u.unit_id, u.root_id AS root_data_id, u.step_id AS workflow_step_id, u.route,
       u.route_reason, target.step_id AS to_step_id, target.key AS to_key,
       CASE WHEN target.step_id IS NULL THEN 0
            WHEN NOT coalesce((rule.taken -> 'for_each')::boolean, false) THEN 1
            ELSE holdfast.items_in(
              CASE WHEN d.definition -> 'aggregation' ->> 'method' IS DISTINCT FROM 'review'
                   THEN u.result::jsonb ->> 'answer'
                   WHEN u.result::jsonb ->> 'answer' = 'correct'
                   THEN u.result::jsonb ->> 'correction'
                   ELSE u.input::jsonb -> 'result' ->> 'answer' END) END AS items
FROM holdfast.units u
JOIN holdfast.step_definitions d ON d.step_id = u.step_id AND d.version = u.version
CROSS JOIN LATERAL (
  SELECT CASE WHEN d.definition #> '{next,0}' IS NOT NULL
              THEN jsonb_build_object('to', d.definition -> 'next')
              WHEN u.route >= 0 THEN d.definition -> 'routes' -> u.route::integer END
         AS taken) rule
LEFT JOIN LATERAL jsonb_array_elements_text(rule.taken -> 'to') AS named(key) ON true
LEFT JOIN holdfast.steps target ON target.workflow_id = d.workflow_id AND target.key = named.key
WHERE u.state = 3;

-- A row for each end of a chain: a finished unit that went on to nothing. Of a review, what it
-- leaves of the result that it was about: that one, the correction, or null where it was rejected.
-- Null is also what is in the object store, with the rest of the input of a large review.
CREATE VIEW report.results AS
SELECT u.root_id AS root_data_id, root.source_key, s.workflow_id, u.step_id AS workflow_step_id,
       s.key AS step_key, u.unit_id, u.part,
       CASE WHEN NOT of_review.yes THEN u.result::jsonb
            WHEN of_review.verdict = 'approve' THEN u.input::jsonb -> 'result'
            WHEN of_review.verdict = 'correct'
            THEN jsonb_build_object('answer', u.result::json ->> 'correction', 'corrected', true)
            END AS aggregated_result,
       of_review.verdict, u.changed_at AS finalized_at
FROM holdfast.units u
JOIN holdfast.units root ON root.unit_id = u.root_id
JOIN holdfast.steps s ON s.step_id = u.step_id
JOIN holdfast.step_definitions d ON d.step_id = u.step_id AND d.version = u.version
CROSS JOIN LATERAL (
  SELECT coalesce(d.definition -> 'aggregation' ->> 'method' = 'review', false) AS yes,
         CASE WHEN d.definition -> 'aggregation' ->> 'method' = 'review'
              THEN u.result::jsonb ->> 'answer' END AS verdict) of_review
WHERE u.state = 3 AND u.truth IS NULL
  AND NOT EXISTS (SELECT FROM report.routes_taken r
                  WHERE r.unit_id = u.unit_id AND r.to_step_id IS NOT NULL
                    AND r.items IS DISTINCT FROM 0);
