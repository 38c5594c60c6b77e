-- works with programs of migration 25
-- A node that was cut off from the database for longer than its lease, and finds that nobody has
-- taken its shards, goes on as it is. What it should have done meanwhile it has not done: so it is
-- noted since when it is heard of again.

ALTER TABLE holdfast.nodes ADD COLUMN resumed_at timestamptz; -- NULL: never silent for so long
