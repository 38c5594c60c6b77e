-- I-2: Whoever is excluded from a unit neither has nor had a lease of it.
SELECT x.unit_id, x.contributor_id
FROM holdfast.unit_exclusions x
WHERE EXISTS (SELECT FROM holdfast.active_leases l
               WHERE l.unit_id = x.unit_id AND l.contributor_id = x.contributor_id)
   OR EXISTS (SELECT FROM holdfast.ended_leases e
               WHERE e.unit_id = x.unit_id AND e.contributor_id = x.contributor_id)
   OR EXISTS (SELECT FROM holdfast.judgments j
               WHERE j.unit_id = x.unit_id AND j.contributor_id = x.contributor_id)
