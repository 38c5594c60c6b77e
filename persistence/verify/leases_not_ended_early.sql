-- I-9: A lease recorded as expired had reached its end, and every lease ends after it begins.
SELECT unit_id, contributor_id, token, granted_at, expires_at, ended_at
FROM holdfast.ended_leases
WHERE expires_at <= granted_at OR (ending = 1 AND ended_at < expires_at)
UNION ALL
SELECT unit_id, contributor_id, token, granted_at, expires_at, NULL
FROM holdfast.active_leases
WHERE expires_at <= granted_at
