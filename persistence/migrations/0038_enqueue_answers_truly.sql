-- works with programs of migration 34
-- What `holdfast.enqueue` answers is so, and what it lets in its queue takes: it looks at unique keys
-- that are live or staged, and checks documents and states as a node does, in the transaction of
-- the producer (docs/adr/0082). A row that the database does not give back is set aside, and the
-- views show the others (docs/adr/0083).

-- Unique keys ------------------------------------------------------------------------------------

-- Producers that come meanwhile wait for the index; without it two of them could stage one key.
LOCK TABLE holdfast.task_intake IN SHARE ROW EXCLUSIVE MODE;

-- Of rows that have one key the queue would make one task.
UPDATE holdfast.task_intake later
   SET refused_at = clock_timestamp(), refusal = 'already_exists',
       refusal_detail = format('task %s is staged and has the same unique key', first.task_id)
  FROM (SELECT DISTINCT ON (queue, unique_key) queue, unique_key, task_id, intake_id
          FROM holdfast.task_intake
         WHERE refused_at IS NULL AND unique_key <> ''
         ORDER BY queue, unique_key, intake_id) first
 WHERE later.queue = first.queue AND later.unique_key = first.unique_key
   AND later.refused_at IS NULL AND later.intake_id <> first.intake_id;

CREATE UNIQUE INDEX task_intake_by_unique_key ON holdfast.task_intake (queue, unique_key)
  WHERE refused_at IS NULL AND unique_key <> '';

-- The task of the queue that has this unique key, live or staged; null if none has.
CREATE FUNCTION holdfast.holder_of(of_queue text, of_key text) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT task_id FROM holdfast.tasks WHERE queue = of_queue AND unique_key = of_key
  UNION ALL
  SELECT task_id FROM holdfast.task_intake
   WHERE queue = of_queue AND unique_key = of_key AND unique_key <> '' AND refused_at IS NULL
  LIMIT 1
$$;

-- Documents and states -----------------------------------------------------------------------------

-- The text of the document when the nodes would accept it: the rules of `documents::check_json`, as
-- far as `jsonb` does not have them itself.
CREATE OR REPLACE FUNCTION holdfast.checked_document(document jsonb, field text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  limits record;
  written text := document::text;
  reserved text;
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
  -- A number that no double is near has 309 digits at least: few documents are as long. The bound is
  -- 2^1024 - 2^970, from which on a number is rounded to infinity.
  IF octet_length(written) >= 309 AND written ~ '[0-9]{155}[0-9]{154}' AND jsonb_path_exists(
       document, 'strict $.** ? (@.type() == "number" && (@ >= $most || @ <= -$most))',
       jsonb_build_object('most', 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792)) THEN
    RAISE EXCEPTION USING
      ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s has a number beyond the range of a double (1.8e308)', field),
      HINT = 'Send such a number as a string.';
  END IF;
  IF written LIKE '%"$holdfast.%' AND jsonb_typeof(document) = 'object' THEN
    SELECT name INTO reserved FROM jsonb_object_keys(document) AS name
     WHERE starts_with(name, '$holdfast.') LIMIT 1;
    IF reserved IS NOT NULL THEN
      RAISE EXCEPTION USING
        ERRCODE = 'invalid_parameter_value',
        MESSAGE = format('%s has the member %L', field, reserved),
        HINT = 'Names that begin with $holdfast. stand for what Holdfast keeps elsewhere: use '
               'another one.';
    END IF;
  END IF;
  RETURN written;
END
$$;

-- The states of the type, with what follows each, by the policy of its queue; null where it has none
-- or the policy cannot be read: then the queue decides.
CREATE FUNCTION holdfast.states_of(of_queue text, of_type text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  states jsonb;
BEGIN
  SELECT q.definition::jsonb -> 'types' -> of_type -> 'transitions' INTO states
    FROM holdfast.queues q WHERE q.queue = of_queue;
  RETURN CASE WHEN jsonb_typeof(states) = 'object' AND states <> '{}' THEN states END;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

CREATE FUNCTION holdfast.check_opening_state(of_queue text, of_type text, state text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT holdfast.states_of(of_queue, of_type) ? state THEN
    RAISE EXCEPTION USING
      ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('tasks of type %s have no state %s', of_type, state),
      HINT = 'The states of a type are in the policy of its queue (types, transitions).';
  END IF;
END
$$;

-- Staging -----------------------------------------------------------------------------------------

-- Stages a task and returns its id, or the id of the task that has its unique key already, live or
-- staged. It exists when, and only when, the caller's transaction commits; soon after that its queue
-- takes it in. An optional parameter that is null has its default. With an id of the caller's own,
-- making the task again is a repetition that changes nothing.
--
-- Errors: 22023 for what no task may have, 54000 for a document that is too large or too deep,
-- 42704 for a queue that does not exist, 23505 for an id that a task of another queue has, and for a
-- unique key that is taken where `reject_duplicate` is set.
CREATE OR REPLACE FUNCTION holdfast.enqueue(
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
  conflict_key constant text := coalesce(enqueue.unique_key, '');
  taken constant text := 'task %s is live and has the same unique key';
  home text;
  holder uuid;
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
  -- Each turn sees what has been committed before it: an id or a unique key that the insertion finds
  -- taken shows in the next turn, staged, live or finished.
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
    IF conflict_key <> '' THEN
      holder := holdfast.holder_of(enqueue.queue, conflict_key);
      EXIT WHEN holder IS NOT NULL;
    END IF;
    IF enqueue.state <> '' THEN
      PERFORM holdfast.check_opening_state(enqueue.queue, enqueue.type, enqueue.state);
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
            holdfast.checked_word(conflict_key, 'unique_key'),
            coalesce(enqueue.reject_duplicate, false), coalesce(enqueue.max_attempts, 0),
            enqueue.run_at,
            holdfast.checked_word(coalesce(enqueue.owner_id, ''), 'owner_id'),
            holdfast.checked_word(coalesce(enqueue.run_as_id, ''), 'run_as_id'),
            holdfast.checked_word(coalesce(enqueue.trace_id, ''), 'trace_id'),
            holdfast.checked_word(coalesce(enqueue.span_id, ''), 'span_id'))
    ON CONFLICT DO NOTHING;
    CONTINUE WHEN NOT FOUND;
    EXIT WHEN conflict_key = '';
    -- From the insertion on, nobody else stages the key. A row that had it before may have left the
    -- stage between the look and the insertion: then its task is live, and shows now.
    SELECT t.task_id INTO holder FROM holdfast.tasks t
     WHERE t.queue = enqueue.queue AND t.unique_key = conflict_key;
    IF holder IS NOT NULL THEN
      DELETE FROM holdfast.task_intake i WHERE i.task_id = id AND i.refused_at IS NULL;
    END IF;
    EXIT;
  END LOOP;
  IF holder IS NULL THEN
    RETURN id;
  END IF;
  IF enqueue.reject_duplicate THEN
    RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = format(taken, holder),
      HINT = 'Leave reject_duplicate out to be told the id of that task instead.';
  END IF;
  RETURN holder;
END
$$;

REVOKE ALL ON FUNCTION holdfast.holder_of, holdfast.states_of, holdfast.check_opening_state
  FROM PUBLIC;

-- Reports -----------------------------------------------------------------------------------------

-- The number at `path` of the document; null where there is none, or the text is no document. A
-- damaged policy of one queue must not keep a report or a check from all others.
CREATE FUNCTION holdfast.number_or_null(document text, path text[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (document::jsonb #>> path)::double precision;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

-- As before, but without the documents of rows that were refused as damaged: the database may not
-- give them back.
CREATE OR REPLACE VIEW report.task_intake AS
SELECT intake_id, task_id, queue, CASE WHEN refused_at IS NULL THEN 'STAGED' ELSE 'REFUSED' END
       AS status, type, version,
       CASE WHEN refusal = 'damaged' THEN NULL ELSE body::jsonb END AS execution_spec, state,
       CASE WHEN refusal = 'damaged' THEN NULL ELSE data::jsonb END AS data,
       priority, key, nullif(credential, '') AS credential, nullif(unique_key, '') AS unique_key,
       reject_duplicate, max_attempts, run_at, owner_id, run_as_id, trace_id, span_id, staged_at,
       refused_at, refusal, refusal_detail
FROM holdfast.task_intake;

CREATE OR REPLACE VIEW holdfast.queued_tasks AS
SELECT t.task_id AS id, t.created_at AS created_date, t.owner_id AS created_by,
       m.modified_at AS modified_date,
       -- Before a worker has had it, only its owner and operators change it.
       CASE WHEN l.task_id IS NOT NULL
              OR EXISTS (SELECT FROM holdfast.task_attempts a WHERE a.task_id = t.task_id)
            THEN m.run_as_id ELSE t.owner_id END AS modified_by,
       t.owner_id, m.run_as_id, t.type AS execution_component_name, t.body::jsonb AS execution_spec,
       t.execution_state::jsonb AS execution_state,
       CASE WHEN l.task_id IS NULL THEN 'QUEUED' WHEN m.at_work THEN 'EXECUTING'
            ELSE 'SCHEDULING' END AS workflow_status,
       NULL::text AS workflow_status_desc, l.granted_at AS scheduling_started_date,
       l.worker AS scheduled_by_process,
       CASE WHEN m.at_work THEN l.granted_at END AS execution_started_date,
       NULL::timestamptz AS workflow_stopped_date, t.queue
FROM holdfast.tasks t
LEFT JOIN holdfast.task_leases l USING (task_id)
LEFT JOIN holdfast.queues q ON q.queue = t.queue
CROSS JOIN LATERAL (
  SELECT greatest(t.last_action, l.granted_at) AS modified_at,
         coalesce(nullif(t.run_as_id, ''), t.owner_id) AS run_as_id,
         -- Times in a policy need not be whole microseconds; those of a damaged one may be anything.
         t.last_action > l.granted_at
         OR l.expires_at > l.granted_at + interval '1 ms' + make_interval(secs => greatest(0, least(
              1e9, coalesce(holdfast.number_or_null(q.definition, '{lease,ttl_seconds}'), 60))))
         AS at_work
) AS m
UNION ALL
SELECT task_id, created_at, owner_id, finished_at,
       CASE WHEN token IS NULL THEN owner_id ELSE coalesce(nullif(run_as_id, ''), owner_id) END,
       owner_id, coalesce(nullif(run_as_id, ''), owner_id), type, body::jsonb,
       execution_state::jsonb,
       CASE WHEN ending = 1 THEN 'COMPLETED'
            WHEN ending = 3 THEN 'CANCELED'
            WHEN error_code IN ('WORKER_LOST', 'TIMEOUT', 'NO_PROGRESS', 'PAYLOAD_MISSING',
                                'PAYLOAD_DAMAGED') THEN 'ERROR'
            ELSE 'FAILURE' END,
       nullif(concat_ws(': ', nullif(error_code, ''), nullif(error_detail, '')), ''), granted_at,
       worker, granted_at, finished_at, queue
FROM holdfast.finished_tasks
UNION ALL
-- Staged by SQL: its queue takes it in within moments, or refuses it. The same id may be staged
-- again after a refusal, or come by message.
SELECT i.task_id, i.staged_at, i.owner_id, coalesce(i.refused_at, i.staged_at), i.owner_id,
       i.owner_id, coalesce(nullif(i.run_as_id, ''), i.owner_id), i.type,
       CASE WHEN i.refusal = 'damaged' THEN NULL ELSE i.body::jsonb END, '{}',
       CASE WHEN i.refused_at IS NULL THEN 'QUEUED' ELSE 'ERROR' END,
       nullif(concat_ws(': ', nullif(i.refusal, ''), nullif(i.refusal_detail, '')), ''), NULL,
       NULL, NULL, i.refused_at, i.queue
FROM holdfast.task_intake i
WHERE NOT EXISTS (SELECT FROM holdfast.task_intake later
                   WHERE later.task_id = i.task_id AND later.intake_id > i.intake_id)
  AND NOT EXISTS (SELECT FROM holdfast.tasks t WHERE t.task_id = i.task_id)
  AND NOT EXISTS (SELECT FROM holdfast.finished_tasks f WHERE f.task_id = i.task_id);
