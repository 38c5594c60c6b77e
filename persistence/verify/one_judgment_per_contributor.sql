-- I-2: A contributor has at most one judgment on a unit, and judgment ids are unique.
SELECT unit_id, contributor_id, NULL::uuid AS judgment_id, count(*) AS judgments
FROM holdfast.judgments
GROUP BY unit_id, contributor_id
HAVING count(*) > 1
UNION ALL
SELECT NULL, NULL, judgment_id, count(*)
FROM holdfast.judgments
GROUP BY judgment_id
HAVING count(*) > 1
