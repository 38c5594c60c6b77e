-- Quality control: test questions, judgments that count no more, and what contributors may do.

-- A test question is a unit whose right answer is known. It is judged by everybody and never
-- finalized; so it is no part of its step's counters, results and routes.
ALTER TABLE holdfast.units
  ADD COLUMN truth text, -- of a test question, what its answers are compared with; else null
  ADD CONSTRAINT units_truth_check CHECK (truth <> ''),
  ADD CONSTRAINT units_test_question_check
    CHECK (truth IS NULL OR (state <> 3 AND parent_id IS NULL));

-- A step reads its test questions when it starts; without this it would read all its units. Costs
-- other units nothing, because they are not in it.
CREATE INDEX units_with_truth ON holdfast.units (step_id, ordinal) WHERE truth IS NOT NULL;

ALTER TABLE holdfast.judgments
  ADD COLUMN tainted_at timestamptz,
  ADD CONSTRAINT judgments_tainted_check CHECK (is_tainted = (tainted_at IS NOT NULL));

-- As judgment_row, with the verdict on the answer to a test question; null for other units.
CREATE TYPE holdfast.judged_row AS (
  judgment_id uuid,
  unit_id uuid,
  contributor_id text,
  token bigint,
  payload text,
  answer text,
  trust_snapshot double precision,
  submitted_at timestamptz,
  test_question_correct boolean
);

-- What a contributor may do in a step, where that was ever decided: who is not here is working.
CREATE TABLE holdfast.contributor_standings (
  step_id uuid NOT NULL,
  changed_at timestamptz NOT NULL,
  standing smallint NOT NULL CHECK (standing BETWEEN 1 AND 2), -- working, removed
  reason smallint NOT NULL CHECK (reason BETWEEN 1 AND 3), -- quiz failed, test questions, requester
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  PRIMARY KEY (step_id, contributor_id)
);

-- Reports ---------------------------------------------------------------------------------------

-- As in 0001, but a judgable test question is shown as `Golden`, and no test question has a number
-- of judgments that it waits for. What is true stays out of it.
CREATE OR REPLACE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       CASE WHEN u.truth IS NOT NULL AND u.state = 1 THEN 'Golden'
            ELSE (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled'])[u.state] END AS state,
       j.judgment_count, CASE WHEN u.truth IS NULL THEN u.slots END AS judgments_per_unit,
       l.assignment_count, (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal, u.truth IS NOT NULL AS is_test_question
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;

CREATE OR REPLACE VIEW report.judgments AS
SELECT judgment_id, unit_id, contributor_id, payload::jsonb AS data, answer,
       trust_snapshot::numeric AS worker_trust_snapshot, started_at, submitted_at, is_tainted,
       on_test_question, test_question_correct, assignment_id, tainted_at
FROM holdfast.judgments;

-- Everybody who ever had an assignment in the step, or a standing there. Trust is what the right
-- answers to test questions leave of a first belief worth four right and two wrong ones.
CREATE VIEW report.contributors AS
SELECT step_id AS workflow_step_id, contributor_id,
       (ARRAY['Working', 'Removed'])[coalesce(s.standing, 1)] AS standing,
       (ARRAY['QuizFailed', 'TestQuestions', 'Requester'])[s.reason] AS reason, s.changed_at,
       coalesce(w.assignments, 0) AS assignments, coalesce(w.judgments, 0) AS judgments,
       coalesce(w.tainted_judgments, 0) AS tainted_judgments,
       coalesce(w.answered, 0) AS test_questions_answered,
       coalesce(w.correct, 0) AS test_questions_right,
       (4 + coalesce(w.correct, 0))::numeric / (6 + coalesce(w.answered, 0)) AS trust_mean
FROM (SELECT u.step_id, g.contributor_id, count(*) AS assignments,
             count(*) FILTER (WHERE g.judged) AS judgments,
             count(*) FILTER (WHERE g.is_tainted) AS tainted_judgments,
             count(g.test_question_correct) AS answered,
             count(*) FILTER (WHERE g.test_question_correct) AS correct
      FROM (SELECT unit_id, contributor_id, true AS judged, is_tainted, test_question_correct
            FROM holdfast.judgments
            UNION ALL
            SELECT unit_id, contributor_id, false, false, NULL FROM holdfast.active_leases
            UNION ALL
            SELECT unit_id, contributor_id, false, false, NULL FROM holdfast.ended_leases) g
      JOIN holdfast.units u USING (unit_id)
      GROUP BY u.step_id, g.contributor_id) w
FULL JOIN holdfast.contributor_standings s USING (step_id, contributor_id);
