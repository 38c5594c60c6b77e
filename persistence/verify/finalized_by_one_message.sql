-- I-8: A unit was finalized by exactly one message about it; other units by none.
SELECT u.unit_id, u.state, count(i.seq) AS messages
FROM holdfast.units u
LEFT JOIN (pg_temp.event e
           JOIN holdfast.inbox i ON i.consumer = 'aggregation' AND i.shard = e.shard
                                AND i.seq = e.seq)
  ON e.unit_id = u.unit_id
GROUP BY u.unit_id
HAVING count(i.seq) <> (u.state = 3)::integer
