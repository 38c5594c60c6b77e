-- I-11: After a repair nothing that its contributor said counts for a unit that was finished
-- before, of those from which no others were made; where others were made, it is said of how many.
SELECT r.repair_id, r.contributor_id, u.unit_id, u.ordinal
FROM holdfast.repairs r
JOIN holdfast.steps s ON s.step_id = r.step_id AND s.status <> 4
JOIN holdfast.units u ON u.step_id = r.step_id AND u.ordinal <= r.bookmark
JOIN holdfast.judgments j ON j.unit_id = u.unit_id AND j.contributor_id = r.contributor_id
WHERE NOT r.dry_run AND u.state = 3 AND u.truth IS NULL AND NOT j.is_tainted
  AND NOT EXISTS (SELECT FROM report.routes_taken t
                  WHERE t.unit_id = u.unit_id AND t.to_step_id IS NOT NULL)
