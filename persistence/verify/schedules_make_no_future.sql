-- I-13: No schedule is further than its own last write, but for clocks that differ: what it made
-- was due by then. When the clock is put back the schedule goes on from then, and what it has made
-- lies ahead of it (`last_made`) until the clock has got there; so that counts as of the next write.
SELECT queue, name, changed_at, handled_until, last_made
FROM holdfast.schedules
WHERE handled_until > changed_at + interval '1 minute'
   OR (last_made > handled_until AND last_made <= changed_at)
