-- I-5: A finalized unit has a result, a confidence from 0 to 1 and all its judgments: those that
-- counted when it was finalized, whatever has become of them since. One whose result was overridden
-- may have fewer. No other has, but for a
-- withdrawn one, which is a canceled child. After a step back of the database's clock that the
-- outbox has on record one may seem to have ceased to count before.
SELECT u.unit_id, u.state, u.slots, u.confidence, u.result, coalesce(j.judgments, 0) AS judgments
FROM holdfast.units u
LEFT JOIN (SELECT f.unit_id, count(*) AS judgments
           FROM holdfast.judgments f JOIN holdfast.units o USING (unit_id)
           WHERE NOT f.is_tainted OR f.tainted_at >= o.changed_at
              OR EXISTS (SELECT FROM pg_temp.stepped_back back
                          WHERE back.since <= o.changed_at AND back.until >= f.tainted_at)
           GROUP BY f.unit_id) j USING (unit_id)
WHERE ((u.state = 3) <> (u.result IS NOT NULL)
       AND NOT (u.state = 4 AND u.parent_id IS NOT NULL))
   OR (u.result IS NULL) <> (u.confidence IS NULL)
   OR NOT u.confidence BETWEEN 0 AND 1
   OR (u.state = 3 AND NOT u.overridden AND coalesce(j.judgments, 0) < u.slots)
