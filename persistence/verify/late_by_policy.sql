-- I-1: What came late counts only in steps that accept it, and is kept only in those that do not
-- reject it. A test question goes by the latest version of its workflow, whatever its own.
SELECT l.judgment_id, l.unit_id, l.counts, array_agg(p.late_submit) AS late_submit
FROM (SELECT judgment_id, unit_id, true AS counts FROM holdfast.judgments WHERE is_late
      UNION ALL
      SELECT judgment_id, unit_id, false FROM holdfast.surplus_judgments) l
JOIN holdfast.units u USING (unit_id)
JOIN holdfast.step_definitions d
  ON d.step_id = u.step_id
 AND (d.version = u.version OR (u.truth IS NOT NULL AND d.version > u.version))
CROSS JOIN LATERAL (
      SELECT coalesce(d.definition -> 'lease' ->> 'late_submit', 'reject') AS late_submit) p
GROUP BY l.judgment_id, l.unit_id, l.counts
HAVING bool_and(p.late_submit = 'reject' OR (l.counts AND p.late_submit <> 'accept_if_free'))
