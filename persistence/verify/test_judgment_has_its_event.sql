-- I-11: Each judgment with a verdict has exactly one TestJudgmentEvent, unless that is pruned, and
-- no other judgment has one.
SELECT coalesce(j.judgment_id, e.judgment_id) AS judgment_id, j.unit_id AS judged_unit,
       e.unit_id AS reported_unit, coalesce(e.events, 0) AS events
FROM (SELECT * FROM holdfast.judgments WHERE on_test_question) j
FULL JOIN (SELECT judgment_id, min(unit_id::text)::uuid AS unit_id, count(*) AS events
           FROM pg_temp.event WHERE type = 'TestJudgmentEvent' GROUP BY judgment_id) e
  ON e.judgment_id = j.judgment_id
CROSS JOIN pg_temp.pruned
WHERE j.judgment_id IS NULL OR e.events <> 1 OR e.unit_id <> j.unit_id
   OR (e.judgment_id IS NULL AND j.submitted_at > pruned.until)
