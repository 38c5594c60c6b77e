-- Late judgments: what comes in when its lease has expired counts or is kept apart, by the policy
-- of its step.

-- One that counts has taken its lease out of `ended_leases`.
ALTER TABLE holdfast.judgments
  ADD COLUMN is_late boolean NOT NULL DEFAULT false; -- handed in when its lease had expired

-- An answer that came late and does not count. Its lease stays in `ended_leases`, as expired.
-- Append-only.
CREATE TABLE holdfast.surplus_judgments (
  judgment_id uuid NOT NULL UNIQUE,
  unit_id uuid NOT NULL,
  token bigint NOT NULL CHECK (token > 0),
  submitted_at timestamptz NOT NULL,
  trust_snapshot double precision NOT NULL CHECK (trust_snapshot >= 0 AND trust_snapshot <= 1),
  contributor_id text COLLATE "C" NOT NULL,
  answer text NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (unit_id, token) -- at most one for each lease
);

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.judgments AS
SELECT judgment_id, unit_id, contributor_id, payload::jsonb AS data, answer,
       trust_snapshot::numeric AS worker_trust_snapshot, started_at, submitted_at, is_tainted,
       on_test_question, test_question_correct, assignment_id, tainted_at, is_late
FROM holdfast.judgments;

CREATE VIEW report.surplus_judgments AS
SELECT s.judgment_id, s.unit_id, s.contributor_id, s.payload::jsonb AS data, s.answer,
       s.trust_snapshot::numeric AS worker_trust_snapshot, e.granted_at AS started_at,
       s.submitted_at, 'Surplus' AS status, e.assignment_id
FROM holdfast.surplus_judgments s JOIN holdfast.ended_leases e USING (unit_id, token);
