-- I-5: Within a step no source key and no ordinal appears twice.
SELECT step_id, source_key, NULL::bigint AS ordinal, count(*) AS units
FROM holdfast.units GROUP BY step_id, source_key HAVING count(*) > 1
UNION ALL
SELECT step_id, NULL, ordinal, count(*)
FROM holdfast.units GROUP BY step_id, ordinal HAVING count(*) > 1
