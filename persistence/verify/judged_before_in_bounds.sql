-- I-5: What routes with `judged_fewer` look at: a judgment says that no more units of the step were
-- judged before it by its contributor than they have judged beside it, test questions apart.
SELECT judgment_id, unit_id, contributor_id, judged_before, judged
FROM (SELECT j.judgment_id, j.unit_id, j.contributor_id, j.judged_before, u.truth IS NULL AS counts,
             count(*) FILTER (WHERE u.truth IS NULL)
               OVER (PARTITION BY u.step_id, j.contributor_id) AS judged
      FROM holdfast.judgments j JOIN holdfast.units u USING (unit_id)) g
WHERE judged_before > judged - counts::integer
