-- Tasks that producers make in transactions of their own, next to their own tables: staged by SQL
-- functions, visible with the commit, and taken in by their queue, which alone decides about tasks
-- (docs/adr/0008).

-- What the nodes accept, so that a producer hears at once of a document that they would refuse.
-- Null until the first node of this version has started.
ALTER TABLE holdfast.cluster
  ADD COLUMN payload_bytes integer CHECK (payload_bytes > 0),
  ADD COLUMN json_depth integer CHECK (json_depth > 0);

-- A staged row leaves with the batch that makes its task. One that the queue refuses stays, marked,
-- as long as the queue keeps its finished tasks. Documents are `text` as in `tasks`: the queue
-- wants the text, and checks it once more.
CREATE TABLE holdfast.task_intake (
  intake_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id uuid NOT NULL,
  staged_at timestamptz NOT NULL DEFAULT clock_timestamp(), -- the commit may come much later
  run_at timestamptz CHECK (isfinite(run_at)),              -- null: at once
  refused_at timestamptz,
  max_attempts integer NOT NULL CHECK (max_attempts >= 0), -- 0: as the queue says
  priority smallint NOT NULL,
  reject_duplicate boolean NOT NULL,
  queue text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  version text NOT NULL,
  state text COLLATE "C" NOT NULL, -- empty: the first of its type
  key text COLLATE "C" NOT NULL,
  credential text COLLATE "C" NOT NULL,
  unique_key text COLLATE "C" NOT NULL,
  owner_id text NOT NULL,
  run_as_id text NOT NULL,
  trace_id text NOT NULL,
  span_id text NOT NULL,
  data text NOT NULL,
  body text NOT NULL,
  refusal text COLLATE "C", -- the name of an error code
  refusal_detail text,
  CHECK (num_nulls(refused_at, refusal, refusal_detail) IN (0, 3))
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_threshold = -1);

-- What every poll looks at: nearly always empty.
CREATE INDEX task_intake_waiting ON holdfast.task_intake (queue, intake_id)
  WHERE refused_at IS NULL;
-- An id is staged once. What was refused may be staged again.
CREATE UNIQUE INDEX task_intake_by_task ON holdfast.task_intake (task_id)
  WHERE refused_at IS NULL;
-- What the janitor and people look at.
CREATE INDEX task_intake_refused ON holdfast.task_intake (queue, refused_at)
  WHERE refused_at IS NOT NULL;

-- Functions -------------------------------------------------------------------------------------

-- All run with the rights of their owner, so that a producer needs none on the tables, and name
-- their path, so that no caller's own objects are taken for ours.

-- A UUID v7 of this moment: ids made together lie together. Version 4, which the random one is,
-- becomes 7 by two more bits.
CREATE FUNCTION holdfast.new_id() RETURNS uuid
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(
           set_bit(set_bit(
             overlay(uuid_send(gen_random_uuid())
                     PLACING substring(int8send((extract(epoch FROM clock_timestamp())
                                                 * 1000)::bigint) FROM 3)
                     FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- The text itself when it may be a word of a task. Its encoding is the database's business.
CREATE FUNCTION holdfast.checked_word(word text, field text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF octet_length(word) > 128 THEN
    RAISE EXCEPTION USING
      ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s has %s bytes', field, octet_length(word)),
      HINT = 'Use at most 128 bytes of UTF-8.';
  END IF;
  RETURN word;
END
$$;

-- The text of the document when the nodes would accept it.
CREATE FUNCTION holdfast.checked_document(document jsonb, field text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  limits record;
  written text := document::text;
BEGIN
  SELECT payload_bytes, json_depth INTO limits FROM holdfast.cluster;
  IF octet_length(written) > limits.payload_bytes THEN
    RAISE EXCEPTION USING
      ERRCODE = 'program_limit_exceeded',
      MESSAGE = format('%s has %s bytes', field, octet_length(written)),
      HINT = format('At most %s are accepted (limits.payload_bytes of the nodes). Store large '
                    'data elsewhere and name the place.', limits.payload_bytes);
  END IF;
  -- Level n is what n containers enclose, so a container there is one more.
  IF jsonb_path_exists(document, format('strict $.**{%s} ? (@.type() == "object" || '
                                        '@.type() == "array")',
                                        coalesce(limits.json_depth, 1000000))::jsonpath) THEN
    RAISE EXCEPTION USING
      ERRCODE = 'program_limit_exceeded',
      MESSAGE = format('%s is nested more than %s deep', field, limits.json_depth),
      HINT = 'Send a flatter document (limits.json_depth of the nodes).';
  END IF;
  RETURN written;
END
$$;

-- The queue that has a task of this id, staged, live or finished; null if none has.
CREATE FUNCTION holdfast.queue_of(task uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT queue FROM holdfast.task_intake WHERE task_id = task AND refused_at IS NULL
  UNION ALL
  SELECT queue FROM holdfast.tasks WHERE task_id = task
  UNION ALL
  SELECT queue FROM holdfast.finished_tasks WHERE task_id = task
  LIMIT 1
$$;

-- Stages a task and returns its id. It exists when, and only when, the caller's transaction
-- commits; soon after that its queue takes it in. An optional parameter that is null has its
-- default. With an id of the caller's own, making the task again is a repetition that changes
-- nothing.
--
-- Errors: 22023 for what no task may have, 54000 for a document that is too large or too deep,
-- 42704 for a queue that does not exist, 23505 for an id that a task of another queue has.
CREATE FUNCTION holdfast.enqueue(
  queue text,
  type text,
  body jsonb,
  task_id uuid DEFAULT NULL,
  data jsonb DEFAULT '{}',
  state text DEFAULT '',
  version text DEFAULT '1.0',
  priority integer DEFAULT 0,
  key text DEFAULT '',
  credential text DEFAULT '',
  unique_key text DEFAULT '',
  reject_duplicate boolean DEFAULT false,
  max_attempts integer DEFAULT 0,
  run_at timestamptz DEFAULT NULL,
  owner_id text DEFAULT '',
  run_as_id text DEFAULT '',
  trace_id text DEFAULT '',
  span_id text DEFAULT '')
RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  invalid constant text := 'invalid_parameter_value';
  id constant uuid := coalesce(enqueue.task_id, holdfast.new_id());
  form constant text := coalesce(enqueue.version, '1.0');
  home text;
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.queues q WHERE q.queue = enqueue.queue) THEN
    RAISE EXCEPTION USING
      ERRCODE = 'undefined_object',
      MESSAGE = format('there is no queue %L', enqueue.queue),
      HINT = 'A queue is made by the message put_queue.';
  END IF;
  IF coalesce(enqueue.type, '') = '' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'type must not be empty',
      HINT = 'The type chooses the handler.';
  END IF;
  IF enqueue.body IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'body must not be null',
      HINT = 'Pass ''{}'' for a task without a body.';
  END IF;
  IF id = '00000000-0000-0000-0000-000000000000' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'task_id must not be nil',
      HINT = 'Pass an id of your own, or none.';
  END IF;
  IF form !~ '^[0-9]{1,9}\.[0-9]{1,9}$' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = format('version %L is not a version', form),
      HINT = 'It must be two numbers with a dot, for example 1.0.';
  END IF;
  IF form NOT LIKE '1.%' THEN
    RAISE EXCEPTION USING ERRCODE = invalid,
      MESSAGE = format('version %s is of another major version than 1', form),
      HINT = 'A task of another major version would be read wrongly by every handler.';
  END IF;
  IF enqueue.priority NOT BETWEEN -1000 AND 1000 THEN
    RAISE EXCEPTION USING ERRCODE = invalid,
      MESSAGE = format('priority %s is out of range', enqueue.priority),
      HINT = 'It must be between -1000 and 1000.';
  END IF;
  IF enqueue.max_attempts NOT BETWEEN 0 AND 1000 THEN
    RAISE EXCEPTION USING ERRCODE = invalid,
      MESSAGE = format('max_attempts %s is out of range', enqueue.max_attempts),
      HINT = 'It must be between 0, which is as the queue says, and 1000.';
  END IF;
  IF NOT isfinite(enqueue.run_at) THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'run_at must be finite',
      HINT = 'Pass null for at once.';
  END IF;
  -- Each turn sees what has been committed before it: an id that the insertion finds taken shows in
  -- the next turn, staged, live or finished.
  LOOP
    IF enqueue.task_id IS NOT NULL THEN
      home := holdfast.queue_of(id);
      IF home <> enqueue.queue THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation',
          MESSAGE = format('the queue %L has a task %s', home, id),
          HINT = 'An id belongs to one task of one queue: make another one.';
      END IF;
      EXIT WHEN home IS NOT NULL;
    END IF;
    INSERT INTO holdfast.task_intake (
             task_id, queue, type, version, body, state, data, priority, key, credential,
             unique_key, reject_duplicate, max_attempts, run_at, owner_id, run_as_id, trace_id,
             span_id)
    VALUES (id, enqueue.queue, holdfast.checked_word(enqueue.type, 'type'), form,
            holdfast.checked_document(enqueue.body, 'body'),
            holdfast.checked_word(coalesce(enqueue.state, ''), 'state'),
            holdfast.checked_document(coalesce(enqueue.data, '{}'), 'data'),
            coalesce(enqueue.priority, 0),
            holdfast.checked_word(coalesce(enqueue.key, ''), 'key'),
            holdfast.checked_word(coalesce(enqueue.credential, ''), 'credential'),
            holdfast.checked_word(coalesce(enqueue.unique_key, ''), 'unique_key'),
            coalesce(enqueue.reject_duplicate, false), coalesce(enqueue.max_attempts, 0),
            enqueue.run_at,
            holdfast.checked_word(coalesce(enqueue.owner_id, ''), 'owner_id'),
            holdfast.checked_word(coalesce(enqueue.run_as_id, ''), 'run_as_id'),
            holdfast.checked_word(coalesce(enqueue.trace_id, ''), 'trace_id'),
            holdfast.checked_word(coalesce(enqueue.span_id, ''), 'span_id'))
    ON CONFLICT (task_id) WHERE refused_at IS NULL DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN id;
END
$$;

-- Stages many tasks of one queue: an array of objects with the parameters of `enqueue` as members.
-- Returns their ids in the same order. One that is refused refuses all, with its place, from 1, in
-- the error's DETAIL.
CREATE FUNCTION holdfast.enqueue_many(queue text, tasks jsonb) RETURNS SETOF uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  invalid constant text := 'invalid_parameter_value';
  task jsonb;
  place bigint;
  unknown text;
  refused_by text;
  refused_as text;
  hint text;
BEGIN
  IF jsonb_typeof(tasks) IS DISTINCT FROM 'array' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'tasks must be a JSON array',
      HINT = 'Pass [{"type": "t", "body": {}}, ...].';
  END IF;
  -- One block around all: each is a subtransaction, and more than 64 slow everybody down.
  BEGIN
    FOR task, place IN SELECT * FROM jsonb_array_elements(tasks) WITH ORDINALITY LOOP
      IF jsonb_typeof(task) <> 'object' THEN
        RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'a task must be a JSON object',
          HINT = 'Its members are the parameters of holdfast.enqueue.';
      END IF;
      SELECT m INTO unknown FROM jsonb_object_keys(task) AS m
       WHERE m <> ALL (ARRAY['type', 'body', 'task_id', 'data', 'state', 'version', 'priority',
                             'key', 'credential', 'unique_key', 'reject_duplicate', 'max_attempts',
                             'run_at', 'owner_id', 'run_as_id', 'trace_id', 'span_id']) LIMIT 1;
      IF unknown IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = invalid,
          MESSAGE = format('a task has no member %L', unknown),
          HINT = 'Its members are the parameters of holdfast.enqueue.';
      END IF;
      RETURN NEXT holdfast.enqueue(
        queue, task ->> 'type', task -> 'body', (task ->> 'task_id')::uuid,
        nullif(task -> 'data', 'null'), task ->> 'state', task ->> 'version',
        (task ->> 'priority')::integer, task ->> 'key', task ->> 'credential',
        task ->> 'unique_key', (task ->> 'reject_duplicate')::boolean,
        (task ->> 'max_attempts')::integer, (task ->> 'run_at')::timestamptz, task ->> 'owner_id',
        task ->> 'run_as_id', task ->> 'trace_id', task ->> 'span_id');
    END LOOP;
  EXCEPTION WHEN data_exception OR program_limit_exceeded OR undefined_object OR unique_violation
  THEN
    GET STACKED DIAGNOSTICS refused_by = RETURNED_SQLSTATE, refused_as = MESSAGE_TEXT,
                            hint = PG_EXCEPTION_HINT;
    RAISE EXCEPTION USING ERRCODE = refused_by, MESSAGE = refused_as, HINT = hint,
      DETAIL = format('It is task %s of %s.', place, jsonb_array_length(tasks));
  END;
END
$$;

-- Nobody may by default. A producer's role needs USAGE on the schema and EXECUTE on the two that
-- stage.
REVOKE ALL ON FUNCTION holdfast.new_id, holdfast.checked_word, holdfast.checked_document,
  holdfast.queue_of, holdfast.enqueue, holdfast.enqueue_many FROM PUBLIC;

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.task_intake AS
SELECT intake_id, task_id, queue, CASE WHEN refused_at IS NULL THEN 'STAGED' ELSE 'REFUSED' END
       AS status, type, version, body::jsonb AS execution_spec, state, data::jsonb AS data,
       priority, key, nullif(credential, '') AS credential, nullif(unique_key, '') AS unique_key,
       reject_duplicate, max_attempts, run_at, owner_id, run_as_id, trace_id, span_id, staged_at,
       refused_at, refusal, refusal_detail
FROM holdfast.task_intake;
