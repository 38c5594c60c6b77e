-- I-3: A task's lease granted later has the higher token, and none is granted twice (5 s allow for
-- the clocks of two hosts), unless the outbox has on record that the database's clock was set back
-- between the two.
SELECT task_id, token, granted_at, later_token, later_granted_at,
       CASE WHEN granted_at < pruned.until THEN 'not on record any more, the events are pruned'
            ELSE 'no, by the outbox' END AS clock_was_set_back
FROM (SELECT task_id, token, granted_at, lead(token) OVER w AS later_token,
             lead(granted_at) OVER w AS later_granted_at
      FROM (SELECT task_id, token, granted_at FROM holdfast.task_leases
            UNION ALL SELECT task_id, token, granted_at FROM holdfast.task_attempts
            UNION ALL SELECT task_id, token, granted_at FROM holdfast.finished_tasks
                      WHERE token IS NOT NULL) grants
      WINDOW w AS (PARTITION BY task_id ORDER BY token)) ordered
CROSS JOIN pg_temp.pruned
WHERE later_token = token
   OR (later_granted_at < granted_at - interval '5 s'
       AND NOT EXISTS (SELECT FROM pg_temp.stepped_back back
                        WHERE back.since <= granted_at AND back.until >= later_granted_at))
