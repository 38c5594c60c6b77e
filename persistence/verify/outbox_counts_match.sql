-- I-7: An outbox row holds as many events as it says, each of a type and a step.
SELECT o.shard, o.first_seq, o.count, count(e.seq) AS events
FROM holdfast.outbox o
LEFT JOIN pg_temp.event e ON e.shard = o.shard AND e.first_seq = o.first_seq
                         AND e.type IS NOT NULL AND e.step_id IS NOT NULL
GROUP BY o.shard, o.first_seq, o.count
HAVING count(e.seq) <> o.count
