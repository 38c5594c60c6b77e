-- I-9: No lease stays active 60 s past its end while every shard has had a live host for that
-- long.
SELECT unit_id, contributor_id, token, expires_at
FROM holdfast.active_leases
CROSS JOIN pg_temp.hosted
WHERE expires_at < now() - interval '60 s'
  AND hosted.since <= now() - interval '60 s'
