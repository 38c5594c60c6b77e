-- I-11: After a repair nothing that its contributor said counts for a unit that was finished
-- before, but for those from which others were made that it has left alone, as it says: those of
-- before they went through batches. Unless they have been back at work since: then what they said
-- may count again.
SELECT r.repair_id, r.contributor_id, u.unit_id, u.ordinal
FROM holdfast.repairs r
JOIN holdfast.contributor_standings c
  ON c.step_id = r.step_id AND c.contributor_id = r.contributor_id AND c.standing = 2
 AND c.changed_at <= r.asked_at
JOIN holdfast.steps s ON s.step_id = r.step_id AND s.status <> 4
JOIN holdfast.units u ON u.step_id = r.step_id AND u.ordinal <= r.bookmark
JOIN holdfast.judgments j ON j.unit_id = u.unit_id AND j.contributor_id = r.contributor_id
WHERE NOT r.dry_run AND u.state = 3 AND u.truth IS NULL AND NOT j.is_tainted
  AND NOT (r.went_on > 0
           AND EXISTS (SELECT FROM report.routes_taken t
                       WHERE t.unit_id = u.unit_id AND t.to_step_id IS NOT NULL))
