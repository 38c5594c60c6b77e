-- I-7: The cluster has exactly the shards it was set up with.
SELECT wanted.shard AS missing, s.shard AS unknown
FROM generate_series(0, coalesce((SELECT shards FROM holdfast.cluster), 0) - 1) AS wanted(shard)
FULL JOIN holdfast.shard_leases s ON s.shard = wanted.shard
WHERE wanted.shard IS NULL OR s.shard IS NULL
