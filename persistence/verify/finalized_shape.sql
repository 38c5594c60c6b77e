-- I-5: A finalized unit, and no other, has a result, a confidence from 0 to 1 and all its
-- judgments.
SELECT u.unit_id, u.state, u.slots, u.confidence, u.result, coalesce(j.judgments, 0) AS judgments
FROM holdfast.units u
LEFT JOIN (SELECT unit_id, count(*) AS judgments FROM holdfast.judgments
           WHERE NOT is_tainted GROUP BY unit_id) j USING (unit_id)
WHERE (u.state = 3) <> (u.result IS NOT NULL)
   OR (u.state = 3) <> (u.confidence IS NOT NULL)
   OR NOT u.confidence BETWEEN 0 AND 1
   OR (u.state = 3 AND coalesce(j.judgments, 0) < u.slots)
