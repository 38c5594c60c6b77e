-- I-2: Whoever has judged a unit holds no lease on it.
SELECT unit_id, contributor_id, j.judgment_id, l.assignment_id
FROM holdfast.judgments j JOIN holdfast.active_leases l USING (unit_id, contributor_id)
