-- works with programs of migration 34
-- Queues that were removed (docs/adr/0096). The policy of each says how long the finished tasks are
-- kept that it has left; the row goes when none of them is there any more.
CREATE TABLE holdfast.removed_queues (
  queue text COLLATE "C" PRIMARY KEY,
  removed_at timestamptz NOT NULL,
  definition text NOT NULL
);
