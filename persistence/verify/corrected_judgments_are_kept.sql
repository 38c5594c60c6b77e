-- I-4: Of a judgment that was corrected, what was handed in at first and each correction are kept;
-- the judgment says what was applied last.
SELECT j.judgment_id, j.unit_id, j.corrected, coalesce(k.kept, 0) AS kept, k.answer AS said
FROM holdfast.judgments j
LEFT JOIN (SELECT judgment_id, count(*) AS kept,
                  (array_agg(answer ORDER BY number DESC) FILTER (WHERE applied))[1] AS answer
           FROM holdfast.judgment_corrections GROUP BY judgment_id) k USING (judgment_id)
WHERE (j.corrected > 0 OR k.kept IS NOT NULL)
  AND (k.kept IS DISTINCT FROM j.corrected + 1 OR k.answer IS DISTINCT FROM j.answer)
