-- works with programs of migration 34
-- How often the world outside asked a task to come back later, and how often in a row workers gave it
-- back without progress: both are bounded (docs/adr/0080), also over restarts. A task that has ended
-- needs neither. Programs of earlier migrations count neither, and change nothing of them.

ALTER TABLE holdfast.tasks
  ADD COLUMN pauses integer NOT NULL DEFAULT 0 CHECK (pauses >= 0),
  ADD COLUMN idle_releases integer NOT NULL DEFAULT 0 CHECK (idle_releases >= 0);
