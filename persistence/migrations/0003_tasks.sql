-- Queues and their tasks, by the rules of 0001. A live task is in `tasks`, its lease beside it; what
-- is over moves to tables that are only added to, so that the hot ones stay as small as the work at
-- hand.

CREATE TABLE holdfast.queues (
  queue text COLLATE "C" PRIMARY KEY CHECK (queue ~ '^[a-z0-9_.-]{1,64}$'),
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  paused boolean NOT NULL,
  paused_types text[] COLLATE "C" NOT NULL,
  definition text NOT NULL
) WITH (fillfactor = 50);

-- A task that is not over. A claim does not touch it: the lease is a row of its own.
CREATE TABLE holdfast.tasks (
  task_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  next_action timestamptz NOT NULL, -- when it is to be looked at next
  last_change timestamptz NOT NULL, -- of state or data
  last_action timestamptz NOT NULL, -- of anything
  max_attempts integer NOT NULL CHECK (max_attempts >= 0), -- 0: as the queue says
  attempts integer NOT NULL CHECK (attempts >= 0),
  crashes integer NOT NULL CHECK (crashes >= 0),
  percent integer NOT NULL CHECK (percent BETWEEN 0 AND 100),
  priority smallint NOT NULL,
  paused boolean NOT NULL,
  queue text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type <> ''),
  version text NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state <> ''),
  key text COLLATE "C" NOT NULL,
  credential text COLLATE "C" NOT NULL,
  unique_key text COLLATE "C" CHECK (unique_key <> ''),
  trace_id text NOT NULL,
  span_id text NOT NULL,
  owner_id text NOT NULL,
  run_as_id text NOT NULL,
  data text NOT NULL,
  execution_state text NOT NULL,
  body text NOT NULL
) WITH (fillfactor = 80);

-- What a queue reads when it starts.
CREATE INDEX tasks_by_queue ON holdfast.tasks (queue, task_id);
CREATE UNIQUE INDEX tasks_by_unique_key ON holdfast.tasks (queue, unique_key)
  WHERE unique_key IS NOT NULL;

-- A live lease of a task: inserted when granted, deleted when it ends. The key is invariant I-2.
CREATE TABLE holdfast.task_leases (
  task_id uuid PRIMARY KEY,
  token bigint NOT NULL CHECK (token > 0),
  claim_id uuid NOT NULL, -- one claim may be granted many tasks
  granted_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  worker text COLLATE "C" NOT NULL CHECK (octet_length(worker) BETWEEN 1 AND 128),
  CHECK (expires_at > granted_at)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 10000);

-- A lease that ended and left the task live. Append-only.
CREATE TABLE holdfast.task_attempts (
  task_id uuid NOT NULL,
  token bigint NOT NULL CHECK (token > 0),
  claim_id uuid NOT NULL,
  granted_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- released, failed, rate limited, expired, lost, ejected, canceled; and 10 more than the ending
  -- of the task where that ended with the lease and was revived later
  ending smallint NOT NULL CHECK (ending BETWEEN 1 AND 7 OR ending BETWEEN 11 AND 14),
  worker text COLLATE "C" NOT NULL,
  error_code text COLLATE "C" NOT NULL,
  error_detail text NOT NULL, -- for operators only
  PRIMARY KEY (task_id, token)
);

-- A task as it ended, with what remained of the lease that ended with it. Rows leave only when they
-- are revived.
CREATE TABLE holdfast.finished_tasks (
  task_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  next_action timestamptz NOT NULL,
  last_change timestamptz NOT NULL,
  last_action timestamptz NOT NULL,
  token bigint CHECK (token > 0),
  claim_id uuid,
  granted_at timestamptz,
  expires_at timestamptz,
  max_attempts integer NOT NULL,
  attempts integer NOT NULL CHECK (attempts >= 0),
  crashes integer NOT NULL CHECK (crashes >= 0),
  percent integer NOT NULL CHECK (percent BETWEEN 0 AND 100),
  priority smallint NOT NULL,
  ending smallint NOT NULL CHECK (ending BETWEEN 1 AND 4), -- completed, failed, canceled, dead
  paused boolean NOT NULL,
  queue text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  version text NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state <> ''),
  key text COLLATE "C" NOT NULL,
  credential text COLLATE "C" NOT NULL,
  unique_key text COLLATE "C",
  trace_id text NOT NULL,
  span_id text NOT NULL,
  owner_id text NOT NULL,
  run_as_id text NOT NULL,
  worker text COLLATE "C",
  error_code text COLLATE "C" NOT NULL,
  error_detail text NOT NULL, -- for operators only
  data text NOT NULL,
  execution_state text NOT NULL,
  body text NOT NULL,
  result text,
  CHECK (num_nulls(token, claim_id, granted_at, expires_at, worker) IN (0, 5)),
  CHECK (result IS NULL OR ending = 1),
  CHECK (ending <> 1 OR (error_code = '' AND error_detail = ''))
);

-- What operators look through: the failed and the dead letters.
CREATE INDEX finished_tasks_to_redrive ON holdfast.finished_tasks (queue, task_id)
  WHERE ending IN (2, 4);
-- Rows arrive in order of time, so that a few pages tell what lies where.
CREATE INDEX finished_tasks_by_time ON holdfast.finished_tasks USING brin (finished_at);

-- What came from a worker after its lease. Append-only; the same may come twice.
CREATE TABLE holdfast.late_results (
  late_result_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id uuid NOT NULL,
  token bigint NOT NULL CHECK (token >= 0),
  received_at timestamptz NOT NULL,
  worker text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  detail text NOT NULL
);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.queues AS
SELECT queue, paused, paused_types, definition::jsonb AS definition, revision, created_at,
       changed_at
FROM holdfast.queues;

-- Neither the workers' bookmark nor the operators' part of an error is for everybody.
CREATE VIEW report.tasks AS
SELECT t.task_id, t.queue, t.type, t.version,
       CASE WHEN l.task_id IS NULL THEN 'QUEUED' ELSE 'EXECUTING' END AS workflow_status,
       t.state, t.data::jsonb AS data, t.body::jsonb AS execution_spec, t.percent, t.paused,
       t.priority, t.key, t.credential, t.unique_key, t.attempts, t.crashes, t.max_attempts,
       t.owner_id, t.run_as_id, t.trace_id, t.span_id, t.next_action, t.last_change, t.last_action,
       t.created_at, l.worker, l.claim_id, l.token, l.granted_at, l.expires_at,
       NULL::timestamptz AS finished_at, NULL::jsonb AS result, NULL::text AS error_code
FROM holdfast.tasks t LEFT JOIN holdfast.task_leases l USING (task_id)
UNION ALL
SELECT task_id, queue, type, version,
       (ARRAY['COMPLETED', 'FAILURE', 'CANCELED', 'ERROR'])[ending],
       state, data::jsonb, body::jsonb, percent, paused, priority, key, credential, unique_key,
       attempts, crashes, max_attempts, owner_id, run_as_id, trace_id, span_id, next_action,
       last_change, last_action, created_at, worker, claim_id, token, granted_at, expires_at,
       finished_at, result::jsonb, nullif(error_code, '')
FROM holdfast.finished_tasks;

-- The tries that are over, the one that ended with its task among them.
CREATE VIEW report.task_attempts AS
SELECT task_id, token, claim_id, worker, granted_at, expires_at, ended_at,
       (ARRAY['Released', 'Failed', 'RateLimited', 'Expired', 'Lost', 'Ejected', 'Canceled', NULL,
              NULL, NULL, 'Completed', 'Failed', 'Canceled', 'Dead'])[ending] AS ending,
       nullif(error_code, '') AS error_code
FROM holdfast.task_attempts
UNION ALL
SELECT task_id, token, claim_id, worker, granted_at, expires_at, finished_at,
       (ARRAY['Completed', 'Failed', 'Canceled', 'Dead'])[ending], nullif(error_code, '')
FROM holdfast.finished_tasks
WHERE token IS NOT NULL;
