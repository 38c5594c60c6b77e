-- Versions: a workflow goes on in another form, and what began in an earlier one keeps that.

-- What followed the definition that the workflow was made with, which is version 1.
CREATE TABLE holdfast.workflow_versions (
  workflow_id uuid NOT NULL REFERENCES holdfast.workflows,
  created_at timestamptz NOT NULL,
  version smallint NOT NULL CHECK (version BETWEEN 2 AND 32767),
  definition text NOT NULL,
  PRIMARY KEY (workflow_id, version)
);

ALTER TABLE holdfast.units
  ADD COLUMN version smallint NOT NULL DEFAULT 1, -- of the workflow, under which its chain began
  ADD CONSTRAINT units_version_check CHECK (version >= 1);

CREATE VIEW holdfast.workflow_definitions AS
SELECT workflow_id, 1::smallint AS version, definition, created_at FROM holdfast.workflows
UNION ALL
SELECT workflow_id, version, definition, created_at FROM holdfast.workflow_versions;

-- Each step in each version that has it. By key: its position is the same in all of them.
CREATE VIEW holdfast.step_definitions AS
SELECT s.step_id, s.workflow_id, d.version, defined.step AS definition
FROM holdfast.workflow_definitions d
CROSS JOIN LATERAL jsonb_array_elements(d.definition::jsonb -> 'steps') AS defined(step)
JOIN holdfast.steps s ON s.workflow_id = d.workflow_id AND s.key = defined.step ->> 'key';

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.workflow_versions AS
SELECT workflow_id, version, created_at, definition::jsonb AS definition
FROM holdfast.workflow_definitions;

-- The definition is the latest.
CREATE OR REPLACE VIEW report.workflows AS
SELECT w.workflow_id, w.name, w.created_at,
       coalesce(latest.definition, w.definition)::jsonb AS definition,
       coalesce(latest.version, 1::smallint) AS latest_version
FROM holdfast.workflows w
LEFT JOIN LATERAL (SELECT v.definition, v.version FROM holdfast.workflow_versions v
                   WHERE v.workflow_id = w.workflow_id ORDER BY v.version DESC LIMIT 1) latest
       ON true;

CREATE OR REPLACE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       CASE WHEN u.truth IS NOT NULL AND u.state = 1 THEN 'Golden'
            ELSE (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled'])[u.state] END AS state,
       j.judgment_count, CASE WHEN u.truth IS NULL THEN u.slots END AS judgments_per_unit,
       l.assignment_count, (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal, u.truth IS NOT NULL AS is_test_question,
       u.loops, u.part, u.reopened, u.version
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;

-- As before, by the version of the unit.
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
  SELECT CASE WHEN d.definition -> 'next' IS NOT NULL
              THEN jsonb_build_object('to', d.definition -> 'next')
              WHEN u.route >= 0 THEN d.definition -> 'routes' -> u.route::integer END
         AS taken) rule
LEFT JOIN LATERAL jsonb_array_elements_text(rule.taken -> 'to') AS named(key) ON true
LEFT JOIN holdfast.steps target ON target.workflow_id = d.workflow_id AND target.key = named.key
WHERE u.state = 3;
