-- Routes: where a finished unit goes on to is decided with its result and kept with it.

ALTER TABLE holdfast.steps
  ADD COLUMN upstreams_completed bigint NOT NULL DEFAULT 0; -- a bit for the position of each

ALTER TABLE holdfast.units
  ADD COLUMN loops integer NOT NULL DEFAULT 0, -- how often its chain was sent back
  ADD COLUMN part integer NOT NULL DEFAULT 0,  -- place among what its parent's result made here
  ADD COLUMN route smallint,     -- index of the route taken, -1 for none; null: `next`, from before
  ADD COLUMN route_reason text,  -- why that one
  ADD CONSTRAINT units_loops_check CHECK (loops >= 0),
  ADD CONSTRAINT units_part_check CHECK (part >= 0 AND (part = 0 OR parent_id IS NOT NULL)),
  ADD CONSTRAINT units_route_check CHECK (route IS NULL OR (route >= -1 AND state = 3));

-- Each item of a result may become a unit of its own: one child for each place (I-5).
DROP INDEX holdfast.units_by_parent;
CREATE UNIQUE INDEX units_by_parent ON holdfast.units (parent_id, step_id, part)
  WHERE parent_id IS NOT NULL;

-- All units of a chain, for people who ask what became of a source item. The first is its own root.
CREATE INDEX units_by_root ON holdfast.units (root_id) WHERE parent_id IS NOT NULL;

-- Who is never offered a unit, for what they did to others of its chain. Of few units.
CREATE TABLE holdfast.unit_exclusions (
  unit_id uuid NOT NULL REFERENCES holdfast.units,
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  PRIMARY KEY (unit_id, contributor_id)
);

-- How many items an answer has: what is no list of JSON is one item.
CREATE FUNCTION holdfast.items_in(answer text) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN jsonb_array_length(answer::jsonb);
EXCEPTION WHEN invalid_text_representation OR invalid_parameter_value THEN
  RETURN 1;
END
$$;

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       CASE WHEN u.truth IS NOT NULL AND u.state = 1 THEN 'Golden'
            ELSE (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled'])[u.state] END AS state,
       j.judgment_count, CASE WHEN u.truth IS NULL THEN u.slots END AS judgments_per_unit,
       l.assignment_count, (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal, u.truth IS NOT NULL AS is_test_question,
       u.loops, u.part
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;

-- Where each finalized unit went, and why: a row for each step that its route leads to, or one
-- without a step where its chain ended. `items` is how many units it becomes there; where the route
-- leads back, it becomes one.
CREATE VIEW report.routes_taken AS
SELECT u.unit_id, u.root_id AS root_data_id, u.step_id AS workflow_step_id, u.route,
       u.route_reason, target.step_id AS to_step_id, target.key AS to_key,
       CASE WHEN target.step_id IS NULL THEN 0
            WHEN NOT coalesce((rule.taken -> 'for_each')::boolean, false) THEN 1
            ELSE holdfast.items_in(
              CASE WHEN definition.step -> 'aggregation' ->> 'method' IS DISTINCT FROM 'review'
                   THEN u.result::jsonb ->> 'answer'
                   WHEN u.result::jsonb ->> 'answer' = 'correct'
                   THEN u.result::jsonb ->> 'correction'
                   ELSE u.input::jsonb -> 'result' ->> 'answer' END) END AS items
FROM holdfast.units u
JOIN holdfast.steps s ON s.step_id = u.step_id
JOIN holdfast.workflows w ON w.workflow_id = s.workflow_id
CROSS JOIN LATERAL (SELECT w.definition::jsonb -> 'steps' -> s.position AS step) definition
CROSS JOIN LATERAL (
  SELECT CASE WHEN definition.step -> 'next' IS NOT NULL
              THEN jsonb_build_object('to', definition.step -> 'next')
              WHEN u.route >= 0 THEN definition.step -> 'routes' -> u.route::integer END
         AS taken) rule
LEFT JOIN LATERAL jsonb_array_elements_text(rule.taken -> 'to') AS named(key) ON true
LEFT JOIN holdfast.steps target ON target.workflow_id = s.workflow_id AND target.key = named.key
WHERE u.state = 3;
