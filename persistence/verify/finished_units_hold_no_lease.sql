-- I-1: A finalized, canceled or gathered unit has no active lease.
SELECT l.unit_id, u.state, l.contributor_id, l.token
FROM holdfast.active_leases l JOIN holdfast.units u USING (unit_id)
WHERE u.state >= 3
