-- I-8: Every webhook has a position on each shard, or what happens there would never be delivered.
SELECT w.name, s.shard
FROM holdfast.webhooks w
CROSS JOIN holdfast.shard_leases s
WHERE NOT EXISTS (SELECT 1 FROM holdfast.webhook_positions p
                  WHERE p.webhook_id = w.webhook_id AND p.shard = s.shard)
