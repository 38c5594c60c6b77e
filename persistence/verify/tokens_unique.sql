-- I-3: No token of a unit is granted twice, whatever became of its lease.
SELECT unit_id, token, count(*) AS grants
FROM (SELECT unit_id, token FROM holdfast.active_leases
      UNION ALL SELECT unit_id, token FROM holdfast.ended_leases
      UNION ALL SELECT unit_id, token FROM holdfast.judgments) grants
GROUP BY unit_id, token
HAVING count(*) > 1
