-- I-11: The votes of a result are the judgments that count, but for a result that its requester has
-- overridden. Where an earlier version has left votes
-- of a removed contributor in a result, `holdfast contributor repair STEP CONTRIBUTOR` of the
-- contributor that is named here mends it.
SELECT u.step_id, j.removed AS contributor_id, u.unit_id, u.votes, j.counted
FROM (SELECT step_id, unit_id,
             (SELECT coalesce(sum(v.value::numeric), 0)
              FROM jsonb_each_text(result::jsonb -> 'votes') v) AS votes
      FROM holdfast.units
      WHERE state = 3 AND NOT overridden AND jsonb_typeof(result::jsonb -> 'votes') = 'object') u
JOIN (SELECT unit_id, count(*) FILTER (WHERE NOT is_tainted) AS counted,
             min(contributor_id) FILTER (WHERE is_tainted) AS removed
      FROM holdfast.judgments GROUP BY unit_id) j USING (unit_id)
WHERE u.votes <> j.counted
