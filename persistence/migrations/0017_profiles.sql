-- Profiles: what is known of contributors, whatever the step; and quick ways to the steps that are
-- not over, and to what contributors answered to test questions.

CREATE TABLE holdfast.contributor_profiles (
  changed_at timestamptz NOT NULL,
  trust double precision CHECK (trust >= 0 AND trust <= 1), -- null: as their test questions say
  contributor_id text COLLATE "C" PRIMARY KEY
    CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  location text NOT NULL DEFAULT '', -- empty: not known
  -- In order of bytes, each term once.
  channels text[] COLLATE "C" NOT NULL,
  skills text[] COLLATE "C" NOT NULL,
  certifications text[] COLLATE "C" NOT NULL
);

-- The steps that work may be found in: what is over is not in it, were it a million.
CREATE INDEX steps_open ON holdfast.steps (step_id) WHERE status < 3;

-- The answers of a contributor to test questions, in all steps. The verdict is in it, so that they
-- are counted without a look at the rows. Costs other judgments nothing, because they are not in
-- it.
CREATE INDEX test_judgments_by_contributor
  ON holdfast.judgments (contributor_id, test_question_correct)
  WHERE test_question_correct IS NOT NULL;

-- Reports ---------------------------------------------------------------------------------------

-- Test questions are those of all steps together.
CREATE VIEW report.profiles AS
SELECT p.contributor_id, p.channels, p.skills, p.certifications,
       nullif(p.location, '') AS location, p.trust::numeric AS trust,
       t.answered AS test_questions_answered, t.correct AS test_questions_right, p.changed_at
FROM holdfast.contributor_profiles p
CROSS JOIN LATERAL (SELECT count(*) AS answered,
                           count(*) FILTER (WHERE j.test_question_correct) AS correct
                    FROM holdfast.judgments j
                    WHERE j.contributor_id = p.contributor_id
                      AND j.test_question_correct IS NOT NULL) t;
