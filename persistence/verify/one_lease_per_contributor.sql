-- I-2: A contributor holds at most one active lease on a unit.
SELECT unit_id, contributor_id, count(*) AS leases
FROM holdfast.active_leases
GROUP BY unit_id, contributor_id
HAVING count(*) > 1
