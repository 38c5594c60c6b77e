-- I-5: A child has a finalized parent with the same root, whose route leads to the child's step and
-- has an item for it; or it is a batch, and its parent one of its units. No chain is sent back more
-- often than it has units.
SELECT c.unit_id, c.parent_id, p.state AS parent_state, c.root_id, p.root_id AS parent_root_id,
       c.part, r.items, c.loops, p.loops AS parent_loops
FROM holdfast.units c
LEFT JOIN holdfast.units p ON p.unit_id = c.parent_id
LEFT JOIN report.routes_taken r ON r.unit_id = c.parent_id AND r.to_step_id = c.step_id
WHERE c.parent_id IS NOT NULL
  AND (p.unit_id IS NULL OR p.root_id <> c.root_id
       OR CASE WHEN p.batch_id = c.unit_id THEN p.step_id <> c.step_id OR c.part <> 0
               ELSE p.state <> 3 OR r.unit_id IS NULL OR c.part >= r.items
                    OR c.loops NOT BETWEEN p.loops AND p.loops + 1 END)
