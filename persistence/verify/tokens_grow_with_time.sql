-- I-3: A lease granted later has the higher token (5 s allow for the clocks of two hosts), unless
-- the outbox has on record that the database's clock was set back between the two.
SELECT unit_id, token, granted_at, later_granted_at,
       CASE WHEN granted_at < pruned.until THEN 'not on record any more, the events are pruned'
            ELSE 'no, by the outbox' END AS clock_was_set_back
FROM (SELECT unit_id, token, granted_at,
             lead(granted_at) OVER (PARTITION BY unit_id ORDER BY token) AS later_granted_at
      FROM (SELECT unit_id, token, granted_at FROM holdfast.active_leases
            UNION ALL SELECT unit_id, token, granted_at FROM holdfast.ended_leases
            UNION ALL SELECT unit_id, token, started_at FROM holdfast.judgments) grants) ordered
CROSS JOIN pg_temp.pruned
WHERE later_granted_at < granted_at - interval '5 s'
  AND NOT EXISTS (SELECT FROM pg_temp.stepped_back back
                   WHERE back.since <= granted_at AND back.until >= later_granted_at)
