-- I-8: A unit was finalized by exactly one message about it, unless that is pruned; other units by
-- none.
SELECT u.unit_id, u.state, coalesce(m.messages, 0) AS messages
FROM holdfast.units u
LEFT JOIN (SELECT e.unit_id, count(*) AS messages
           FROM holdfast.inbox i
           JOIN pg_temp.event e ON e.shard = i.shard AND e.seq = i.seq
           WHERE i.consumer = 'aggregation'
           GROUP BY e.unit_id) m ON m.unit_id = u.unit_id
CROSS JOIN pg_temp.pruned
WHERE coalesce(m.messages, 0) <> (u.state = 3)::integer
  AND (m.messages > 0 OR coalesce(u.changed_at, 'infinity') > pruned.until)
