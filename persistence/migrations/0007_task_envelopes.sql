-- Jobs that come as envelopes, and versions of bodies that a queue knows.

-- As in 0004, but any major version is staged: which ones a type has is in the policy of its queue,
-- which decides when it takes the task in.
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

-- Envelopes -------------------------------------------------------------------------------------

-- The member of an envelope's object as text, when it is of that kind of JSON; null when it is
-- missing and need not be there.
CREATE FUNCTION holdfast.checked_member(object jsonb, place text, name text, kind text,
                                        required boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found constant text := jsonb_typeof(object -> name);
BEGIN
  IF found IS NULL AND required THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s/%s: is missing', place, name),
      HINT = format('The envelope needs this %s.', kind);
  END IF;
  IF found <> kind THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s/%s: is not a JSON %s', place, name, kind),
      HINT = format('Its kind is %s; send a %s.', found, kind);
  END IF;
  RETURN object ->> name;
END
$$;

-- Refuses a member that an envelope does not have at this place.
CREATE FUNCTION holdfast.refuse_unknown_members(object jsonb, place text, known text[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  unknown text;
BEGIN
  SELECT m INTO unknown FROM jsonb_object_keys(object) AS m WHERE m <> ALL (known) LIMIT 1;
  IF unknown IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
      MESSAGE = format('%s/%s: is not a member that is known here', place, unknown),
      HINT = format('Known are: %s.', array_to_string(known, ', '));
  END IF;
END
$$;

-- Stages the task of a job envelope,
--
--   {"header": {"job_id", "type", "version", "created_at", "attempt", "max_attempts"},
--    "body", "tracing": {"trace_id", "span_id"}},
--
-- as `enqueue` does, and returns its id, which is that of the job. The other parameters say what an
-- envelope does not.
--
-- Errors: those of `enqueue`, and 22023 for what is no envelope, with its place.
CREATE FUNCTION holdfast.enqueue_envelope(
  queue text,
  envelope jsonb,
  priority integer DEFAULT 0,
  key text DEFAULT '',
  credential text DEFAULT '',
  unique_key text DEFAULT '',
  reject_duplicate boolean DEFAULT false,
  run_at timestamptz DEFAULT NULL,
  owner_id text DEFAULT '',
  run_as_id text DEFAULT '')
RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  invalid constant text := 'invalid_parameter_value';
  header jsonb;
  tracing jsonb;
  job_id text;
  created_at text;
  attempt numeric;
  max_attempts numeric;
BEGIN
  IF jsonb_typeof(envelope) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = 'the envelope must be a JSON object',
      HINT = 'Pass {"header": {...}, "body": {...}, "tracing": {...}}.';
  END IF;
  PERFORM holdfast.refuse_unknown_members(envelope, '', ARRAY['header', 'body', 'tracing']);
  header := holdfast.checked_member(envelope, '', 'header', 'object', true);
  PERFORM holdfast.refuse_unknown_members(header, '/header',
    ARRAY['job_id', 'type', 'version', 'created_at', 'attempt', 'max_attempts']);
  tracing := coalesce(holdfast.checked_member(envelope, '', 'tracing', 'object', false), '{}');
  PERFORM holdfast.refuse_unknown_members(tracing, '/tracing', ARRAY['trace_id', 'span_id']);
  IF NOT envelope ? 'body' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = '/body: is missing',
      HINT = 'Send {} for a job without one.';
  END IF;
  job_id := holdfast.checked_member(header, '/header', 'job_id', 'string', true);
  IF job_id !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = '/header/job_id: is not a UUID',
      HINT = 'Send one like 018f2c5e-7c1a-7000-8000-000000000001.';
  END IF;
  created_at := holdfast.checked_member(header, '/header', 'created_at', 'string', false);
  IF created_at !~* '^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$' THEN
    RAISE EXCEPTION USING ERRCODE = invalid, MESSAGE = '/header/created_at: is not a time',
      HINT = 'Send one like 2024-12-24T12:00:00Z.';
  END IF;
  PERFORM created_at::timestamptz; -- which knows how long the months are
  attempt := holdfast.checked_member(header, '/header', 'attempt', 'number', false);
  IF attempt <> 1 THEN
    RAISE EXCEPTION USING ERRCODE = invalid,
      MESSAGE = format('/header/attempt: must be 1, not %s', attempt),
      HINT = 'A job begins with its first try here: send it anew as attempt 1.';
  END IF;
  max_attempts := holdfast.checked_member(header, '/header', 'max_attempts', 'number', false);
  IF max_attempts NOT BETWEEN 1 AND 1000 OR max_attempts <> trunc(max_attempts) THEN
    RAISE EXCEPTION USING ERRCODE = invalid,
      MESSAGE = format('/header/max_attempts: %s is out of range', max_attempts),
      HINT = 'It must be a whole number from 1 to 1000; leave it out for what the queue says.';
  END IF;
  RETURN holdfast.enqueue(
    queue, holdfast.checked_member(header, '/header', 'type', 'string', true), envelope -> 'body',
    task_id => job_id::uuid,
    version => holdfast.checked_member(header, '/header', 'version', 'string', true),
    priority => priority, key => key, credential => credential, unique_key => unique_key,
    reject_duplicate => reject_duplicate, max_attempts => max_attempts::integer, run_at => run_at,
    owner_id => owner_id, run_as_id => run_as_id,
    trace_id => holdfast.checked_member(tracing, '/tracing', 'trace_id', 'string', false),
    span_id => holdfast.checked_member(tracing, '/tracing', 'span_id', 'string', false));
END
$$;

REVOKE ALL ON FUNCTION holdfast.checked_member, holdfast.refuse_unknown_members,
  holdfast.enqueue_envelope FROM PUBLIC;
