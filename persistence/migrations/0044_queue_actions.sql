-- works with programs of migration 34
-- Bulk actions of queues (docs/adr/0107): one change to every task that a filter matches. The tasks
-- of a chunk and the row of their action are written by one transaction. A program of an earlier
-- version leaves the rows alone, and removes those of a queue with the queue.
CREATE TABLE holdfast.queue_actions (
  queue text COLLATE "C" NOT NULL REFERENCES holdfast.queues ON DELETE CASCADE,
  action_id uuid NOT NULL,
  asked_at timestamptz NOT NULL, -- tasks that were made or have ended later are not touched
  changed_at timestamptz NOT NULL,
  created_from timestamptz NOT NULL,   -- the epoch: from the first task on
  created_before timestamptz NOT NULL, -- the epoch: to the last
  changed bigint NOT NULL CHECK (changed >= 0), -- tasks, like the following two
  unchanged bigint NOT NULL CHECK (unchanged >= 0), -- they were so already
  refused bigint NOT NULL CHECK (refused >= 0),
  kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 5), -- pause, resume, cancel, retry, redrive
  status smallint NOT NULL CHECK (status BETWEEN 1 AND 4), -- running, done, stopped, failed
  scope smallint NOT NULL CHECK (scope BETWEEN 0 AND 4), -- all, waiting, leased, failed, dead
  bookmark uuid NOT NULL, -- tasks up to this id are dealt with
  type text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  error_code text COLLATE "C" NOT NULL,
  asked_by text COLLATE "C" NOT NULL,
  refusals text COLLATE "C" NOT NULL, -- of `refused`, by code: `already_exists 3,damaged 1`
  problem text NOT NULL, -- why it failed
  PRIMARY KEY (queue, action_id)
) WITH (fillfactor = 50);

CREATE INDEX queue_actions_by_time ON holdfast.queue_actions (queue, asked_at, action_id);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.queue_actions AS
SELECT queue, action_id,
       (ARRAY['pause', 'resume', 'cancel', 'retry', 'redrive'])[kind] AS action,
       (ARRAY['running', 'done', 'stopped', 'failed'])[status] AS status,
       nullif(type, '') AS type, nullif(key, '') AS key, nullif(error_code, '') AS error_code,
       (ARRAY[NULL, 'QUEUED', 'EXECUTING', 'FAILURE', 'ERROR'])[scope + 1] AS task_status,
       nullif(created_from, 'epoch') AS created_from,
       nullif(created_before, 'epoch') AS created_before,
       changed + unchanged + refused AS matched, changed, unchanged, refused, refusals,
       asked_by, asked_at, changed_at, nullif(problem, '') AS problem
FROM holdfast.queue_actions;
