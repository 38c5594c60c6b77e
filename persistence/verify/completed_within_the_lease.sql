-- I-3: A task was completed while its lease was held (5 s allow for the clocks of two hosts, and a
-- step back of the database's clock that the outbox has on record explains an end before the
-- beginning).
SELECT task_id, token, granted_at, finished_at, expires_at,
       CASE WHEN granted_at < pruned.until THEN 'not on record any more, the events are pruned'
            ELSE 'no, by the outbox' END AS clock_was_set_back
FROM holdfast.finished_tasks
CROSS JOIN pg_temp.pruned
WHERE ending = 1
  AND (finished_at >= expires_at
       OR (finished_at < granted_at - interval '5 s'
           AND NOT EXISTS (SELECT FROM pg_temp.stepped_back back
                            WHERE back.since <= granted_at AND back.until >= finished_at)))
