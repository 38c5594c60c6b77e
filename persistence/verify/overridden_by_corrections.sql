-- I-5: A unit whose result is overridden is finalized, or was withdrawn since; its result says who
-- has said so, and is the last that a correction of the unit gives.
SELECT u.unit_id, u.state, u.result, c.answer AS said
FROM holdfast.units u
LEFT JOIN (SELECT unit_id, answer,
                  row_number() OVER (PARTITION BY unit_id ORDER BY number DESC) AS nth
           FROM holdfast.corrections WHERE kind = 2) c ON c.unit_id = u.unit_id AND c.nth = 1
WHERE u.overridden
  AND (u.state NOT IN (3, 4) OR c.answer IS NULL OR u.result::jsonb -> 'overridden' IS NULL
       OR u.result::jsonb ->> 'answer' <> c.answer)
