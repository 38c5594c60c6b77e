-- I-3: A lease granted later has the higher token (5 s allow for the clocks of two hosts).
SELECT unit_id, token, granted_at, later_granted_at
FROM (SELECT unit_id, token, granted_at,
             lead(granted_at) OVER (PARTITION BY unit_id ORDER BY token) AS later_granted_at
      FROM (SELECT unit_id, token, granted_at FROM holdfast.active_leases
            UNION ALL SELECT unit_id, token, granted_at FROM holdfast.ended_leases
            UNION ALL SELECT unit_id, token, started_at FROM holdfast.judgments) grants) ordered
WHERE later_granted_at < granted_at - interval '5 s'
