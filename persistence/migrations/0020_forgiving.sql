-- Forgiving: a test question that was wrong or unfair says nothing of those who answered it, and
-- who was removed for nothing else is back at work.

ALTER TABLE holdfast.units
  ADD COLUMN forgiven_at timestamptz, -- of a test question: since when its answers say nothing
  ADD CONSTRAINT units_forgiven_check CHECK (forgiven_at IS NULL OR truth IS NOT NULL);

ALTER TABLE holdfast.contributor_standings
  DROP CONSTRAINT contributor_standings_reason_check,
  -- quiz failed, test questions, requester, question forgiven
  ADD CONSTRAINT contributor_standings_reason_check CHECK (reason BETWEEN 1 AND 4);

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
       u.list_id AS list_unit_id, u.list_size, u.list_part, u.parent_reopened, u.forgiven_at
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;

-- As before, by the answers to questions that are not forgiven.
CREATE OR REPLACE VIEW report.contributors AS
SELECT step_id AS workflow_step_id, contributor_id,
       (ARRAY['Working', 'Removed'])[coalesce(s.standing, 1)] AS standing,
       (ARRAY['QuizFailed', 'TestQuestions', 'Requester', 'QuestionForgiven'])[s.reason] AS reason,
       s.changed_at, coalesce(w.assignments, 0) AS assignments,
       coalesce(w.judgments, 0) AS judgments,
       coalesce(w.tainted_judgments, 0) AS tainted_judgments,
       coalesce(w.answered, 0) AS test_questions_answered,
       coalesce(w.correct, 0) AS test_questions_right,
       (4 + coalesce(w.correct, 0))::numeric / (6 + coalesce(w.answered, 0)) AS trust_mean
FROM (SELECT u.step_id, g.contributor_id, count(*) AS assignments,
             count(*) FILTER (WHERE g.judged) AS judgments,
             count(*) FILTER (WHERE g.is_tainted) AS tainted_judgments,
             count(g.test_question_correct) FILTER (WHERE u.forgiven_at IS NULL) AS answered,
             count(*) FILTER (WHERE g.test_question_correct AND u.forgiven_at IS NULL) AS correct
      FROM (SELECT unit_id, contributor_id, true AS judged, is_tainted, test_question_correct
            FROM holdfast.judgments
            UNION ALL
            SELECT unit_id, contributor_id, false, false, NULL FROM holdfast.active_leases
            UNION ALL
            SELECT unit_id, contributor_id, false, false, NULL FROM holdfast.ended_leases) g
      JOIN holdfast.units u USING (unit_id)
      GROUP BY u.step_id, g.contributor_id) w
FULL JOIN holdfast.contributor_standings s USING (step_id, contributor_id);

CREATE OR REPLACE VIEW report.profiles AS
SELECT p.contributor_id, p.channels, p.skills, p.certifications,
       nullif(p.location, '') AS location, p.trust::numeric AS trust,
       t.answered AS test_questions_answered, t.correct AS test_questions_right, p.changed_at
FROM holdfast.contributor_profiles p
CROSS JOIN LATERAL (SELECT count(*) AS answered,
                           count(*) FILTER (WHERE j.test_question_correct) AS correct
                    FROM holdfast.judgments j JOIN holdfast.units u USING (unit_id)
                    WHERE j.contributor_id = p.contributor_id
                      AND j.test_question_correct IS NOT NULL AND u.forgiven_at IS NULL) t;
