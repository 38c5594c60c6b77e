-- I-3: An assignment id names one lease.
SELECT assignment_id, count(*) AS leases
FROM (SELECT assignment_id FROM holdfast.active_leases
      UNION ALL SELECT assignment_id FROM holdfast.ended_leases
      UNION ALL SELECT assignment_id FROM holdfast.judgments) leases
GROUP BY assignment_id
HAVING count(*) > 1
