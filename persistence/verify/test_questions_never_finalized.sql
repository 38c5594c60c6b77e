-- I-11: A test question has no result, no parent and no child.
SELECT u.unit_id, u.state, u.result, u.parent_id, c.unit_id AS child_id
FROM holdfast.units u
LEFT JOIN holdfast.units c ON c.parent_id = u.unit_id
WHERE u.truth IS NOT NULL
  AND (u.state = 3 OR u.result IS NOT NULL OR u.parent_id IS NOT NULL OR c.unit_id IS NOT NULL)
