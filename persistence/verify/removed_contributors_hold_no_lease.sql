-- I-11: A contributor gets no lease in a step after their removal from it (5 s allow for the clocks
-- of two hosts), and keeps none for 60 s while every shard has had a live host for that long.
SELECT r.step_id, l.contributor_id, l.unit_id, l.token, l.granted_at, r.changed_at AS removed_at
FROM holdfast.contributor_standings r
JOIN holdfast.units u USING (step_id)
JOIN holdfast.active_leases l USING (unit_id, contributor_id)
CROSS JOIN pg_temp.hosted
WHERE r.standing = 2
  AND (l.granted_at > r.changed_at + interval '5 s'
       OR (r.changed_at < now() - interval '60 s'
           AND hosted.since <= now() - interval '60 s'))
