-- I-3: An assignment id names one lease; `holdfast verify --repair` gives all but the first of those
-- that share one another id.
SELECT assignment_id, count(*) AS leases, min(contributor_id) AS first_contributor,
       max(contributor_id) AS last_contributor, min(unit_id::text) AS first_unit,
       max(unit_id::text) AS last_unit
FROM (SELECT assignment_id, contributor_id, unit_id FROM holdfast.active_leases
      UNION ALL SELECT assignment_id, contributor_id, unit_id FROM holdfast.ended_leases
      UNION ALL SELECT assignment_id, contributor_id, unit_id FROM holdfast.judgments) leases
GROUP BY assignment_id
HAVING count(*) > 1
