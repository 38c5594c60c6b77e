-- I-1: Active leases and untainted judgments of a unit never exceed its slots.
SELECT u.unit_id, u.slots, count(*) AS taken
FROM holdfast.units u
JOIN (SELECT unit_id FROM holdfast.active_leases
      UNION ALL
      SELECT unit_id FROM holdfast.judgments WHERE NOT is_tainted) t USING (unit_id)
GROUP BY u.unit_id
HAVING count(*) > u.slots
