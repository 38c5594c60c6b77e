-- Schedules of queues: what makes tasks by the clock (docs/adr/0009). How far one is, is written
-- with the tasks that it makes.

CREATE TABLE holdfast.schedules (
  queue text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 128),
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  handled_until timestamptz NOT NULL, -- occurrences up to here are dealt with
  last_made timestamptz,              -- the last occurrence that made a task
  revision bigint NOT NULL CHECK (revision > 0),
  definition text NOT NULL,
  PRIMARY KEY (queue, name)
) WITH (fillfactor = 50);

CREATE VIEW report.schedules AS
SELECT queue, name, definition::jsonb ->> 'cron' AS cron,
       coalesce(definition::jsonb ->> 'time_zone', 'UTC') AS time_zone,
       coalesce((definition::jsonb -> 'paused')::boolean, false) AS paused,
       definition::jsonb AS definition, revision, created_at, changed_at, handled_until, last_made
FROM holdfast.schedules;
