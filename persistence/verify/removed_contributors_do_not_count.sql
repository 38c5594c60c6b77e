-- I-11: Nothing that a removed contributor said counts for an open unit of the step 60 s later,
-- while every shard has had a live host for that long; what they said to test questions stays.
SELECT r.step_id, j.contributor_id, j.unit_id, j.judgment_id, j.submitted_at,
       r.changed_at AS removed_at
FROM holdfast.contributor_standings r
JOIN holdfast.units u USING (step_id)
JOIN holdfast.judgments j USING (unit_id, contributor_id)
CROSS JOIN pg_temp.hosted
WHERE r.standing = 2 AND u.state < 3 AND u.truth IS NULL AND NOT j.is_tainted
  AND greatest(r.changed_at, j.submitted_at) < now() - interval '60 s'
  AND hosted.since <= now() - interval '60 s'
