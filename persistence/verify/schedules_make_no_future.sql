-- I-13: No schedule is further than its own last write, but for clocks that differ: what it made
-- was due by then.
SELECT queue, name, changed_at, handled_until, last_made
FROM holdfast.schedules
WHERE handled_until > changed_at + interval '1 minute' OR last_made > handled_until
