-- I-11: Answers to as many test questions as a judgment names can give the trust that it carries:
-- right ones from none to all, and four right and two wrong before.
SELECT judgment_id, unit_id, contributor_id, trust_snapshot, trust_questions
FROM (SELECT judgment_id, unit_id, contributor_id, trust_snapshot, trust_questions,
             trust_snapshot * (6 + trust_questions) - 4 AS correct
      FROM holdfast.judgments WHERE trust_questions IS NOT NULL) j
WHERE abs(correct - round(correct)) > 1e-6 OR round(correct) NOT BETWEEN 0 AND trust_questions
