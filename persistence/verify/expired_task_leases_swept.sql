-- I-9: No task's lease stays active 60 s past its end while every shard has had a live host for
-- that long.
SELECT task_id, worker, token, expires_at
FROM holdfast.task_leases
WHERE expires_at < clock_timestamp() - interval '60 s'
  AND NOT EXISTS (SELECT 1
                  FROM holdfast.shard_leases s
                  LEFT JOIN holdfast.nodes n ON n.incarnation = s.host
                  WHERE n.left_at IS NOT NULL
                     OR coalesce(n.expires_at, '-infinity') < clock_timestamp()
                     OR s.taken_at > clock_timestamp() - interval '60 s')
