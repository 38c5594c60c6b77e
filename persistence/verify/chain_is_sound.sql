-- I-5: A child has a finalized parent with the same root, whose route leads to the child's step and
-- has an item for it; or it is a batch, and its parent one of its units; or it was one, and is
-- canceled. No chain is sent back more often than it has units. What was made from a result that was
-- taken back is canceled, once the routing is past the event that told of that.
SELECT c.unit_id, c.parent_id, p.state AS parent_state, c.root_id, p.root_id AS parent_root_id,
       c.part, r.items, c.loops, p.loops AS parent_loops, c.parent_reopened, p.reopened
FROM holdfast.units c
LEFT JOIN holdfast.units p ON p.unit_id = c.parent_id
LEFT JOIN report.routes_taken r ON r.unit_id = c.parent_id AND r.to_step_id = c.step_id
LEFT JOIN (SELECT e.unit_id, bool_or(e.seq > coalesce(k.seq, 0)) AS untold
           FROM pg_temp.event e
           LEFT JOIN holdfast.consumer_cursors k ON k.consumer = 'routing' AND k.shard = e.shard
           WHERE e.type IN ('UnitReopened', 'UnitWithdrawn')
           GROUP BY e.unit_id) t ON t.unit_id = c.parent_id
WHERE c.parent_id IS NOT NULL
  AND (p.unit_id IS NULL OR p.root_id <> c.root_id
       OR CASE WHEN p.batch_id = c.unit_id THEN p.step_id <> c.step_id OR c.part <> 0
               WHEN p.ungathered > 0
               THEN p.step_id <> c.step_id OR c.part <> 0 OR c.state <> 4
                    OR c.parent_reopened >= p.ungathered
               WHEN c.parent_reopened < p.reopened OR (p.state = 4 AND p.result IS NOT NULL)
               THEN c.parent_reopened > p.reopened OR (c.state <> 4 AND NOT coalesce(t.untold, false))
               ELSE c.parent_reopened > p.reopened OR p.state <> 3 OR r.unit_id IS NULL
                    OR c.part >= r.items OR c.loops NOT BETWEEN p.loops AND p.loops + 1 END)
