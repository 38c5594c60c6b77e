-- I-5: A finalized unit that has been routed, since its result was last taken back, has as many
-- children as its route makes of it, in each step that the route leads to and that takes units.
-- What is sent back stays one unit. How many items a reviewed list has that is in the object store
-- with the rest of its unit's input is not known here.
SELECT r.unit_id, r.to_key, r.items, coalesce(c.children, 0) AS children
FROM (SELECT shard, unit_id, max(seq) AS seq FROM pg_temp.event
      WHERE type = 'UnitFinalized' GROUP BY shard, unit_id) e
JOIN holdfast.consumer_cursors k ON k.consumer = 'routing' AND k.shard = e.shard AND k.seq >= e.seq
JOIN report.routes_taken r ON r.unit_id = e.unit_id
JOIN holdfast.units u ON u.unit_id = r.unit_id
JOIN holdfast.steps target ON target.step_id = r.to_step_id AND target.status <> 4
LEFT JOIN (SELECT parent_id, parent_reopened, step_id, count(*) AS children, max(loops) AS loops
           FROM holdfast.units
           WHERE parent_id IS NOT NULL GROUP BY parent_id, parent_reopened, step_id) c
       ON c.parent_id = r.unit_id AND c.parent_reopened = u.reopened
          AND c.step_id = r.to_step_id
WHERE coalesce(c.children, 0) <> CASE WHEN c.loops > u.loops THEN 1 ELSE r.items END
