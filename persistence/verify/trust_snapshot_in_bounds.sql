-- I-11: A judgment carries the trust that its contributor had, from 0 to 1.
SELECT judgment_id, unit_id, contributor_id, trust_snapshot
FROM holdfast.judgments
WHERE NOT trust_snapshot BETWEEN 0 AND 1
