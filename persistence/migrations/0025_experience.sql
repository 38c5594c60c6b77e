-- What routes with `judged_fewer` look at is stored with each judgment: how many units of the step
-- its contributor had judged before. Likewise on how many test questions the trust in them rests.

ALTER TABLE holdfast.judgments
  -- null where no route of the step asks for it, and in what came before this
  ADD COLUMN judged_before integer CHECK (judged_before >= 0),
  -- null where nobody is tested, and in what came before this
  ADD COLUMN trust_questions integer CHECK (trust_questions >= 0);

ALTER TABLE holdfast.surplus_judgments
  ADD COLUMN trust_questions integer CHECK (trust_questions >= 0);

-- As judged_row, which the writer uses no more.
CREATE TYPE holdfast.handed_in_row AS (
  judgment_id uuid,
  unit_id uuid,
  contributor_id text,
  token bigint,
  payload text,
  answer text,
  trust_snapshot double precision,
  submitted_at timestamptz,
  test_question_correct boolean,
  judged_before integer,
  trust_questions integer
);

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.judgments AS
SELECT judgment_id, unit_id, contributor_id, payload::jsonb AS data, answer,
       trust_snapshot::numeric AS worker_trust_snapshot, started_at, submitted_at, is_tainted,
       on_test_question, test_question_correct, assignment_id, tainted_at, is_late, judged_before,
       trust_questions
FROM holdfast.judgments;

CREATE OR REPLACE VIEW report.surplus_judgments AS
SELECT s.judgment_id, s.unit_id, s.contributor_id, s.payload::jsonb AS data, s.answer,
       s.trust_snapshot::numeric AS worker_trust_snapshot, e.granted_at AS started_at,
       s.submitted_at, 'Surplus' AS status, e.assignment_id, s.trust_questions
FROM holdfast.surplus_judgments s JOIN holdfast.ended_leases e USING (unit_id, token);
