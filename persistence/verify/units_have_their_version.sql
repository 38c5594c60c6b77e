-- I-5: Every unit began under a version of its workflow that has its step, and a child under that
-- of its parent.
SELECT u.unit_id, u.version, p.version AS parent_version
FROM holdfast.units u
LEFT JOIN holdfast.step_definitions d ON d.step_id = u.step_id AND d.version = u.version
LEFT JOIN holdfast.units p ON p.unit_id = u.parent_id
WHERE d.step_id IS NULL OR p.version <> u.version
