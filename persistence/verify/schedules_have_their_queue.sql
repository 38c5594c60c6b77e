-- I-13: Every schedule belongs to a queue, or nobody would ever run it.
SELECT queue, name, handled_until
FROM holdfast.schedules s
WHERE NOT EXISTS (SELECT 1 FROM holdfast.queues q WHERE q.queue = s.queue)
