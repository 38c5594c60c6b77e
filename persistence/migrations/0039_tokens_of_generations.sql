-- works with programs of migration 34
-- Tokens of a generation lie above those of all generations before, also where the database has
-- forgotten the last of these and its clock was set back since: the numbers that the caller has seen
-- tell how far that generation was (docs/adr/0076). They lay above the clock alone.

-- Begins a generation when the database has forgotten something of what the caller has seen
-- committed (its generation; for each shard epoch, batch and event), when it is not where its
-- generation began, or when the caller says that it was `restored`. Answers whether it did.
CREATE OR REPLACE FUNCTION holdfast.begin_generation(
  known_generation bigint, known_shards integer[], known_epochs bigint[], known_batches bigint[],
  known_events bigint[], restored boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  here text := holdfast.server_identity();
  -- No shard has counted up to there, its events one by one.
  above bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  -- Beyond the tokens of one generation: none is leased so often, and the clock, from whose
  -- microseconds some tokens are taken, is not ahead by more than a day.
  tokens_of_generation CONSTANT bigint := 100000000000;
  before holdfast.cluster;
  forgotten boolean;
BEGIN
  SELECT * INTO STRICT before FROM holdfast.cluster FOR UPDATE;
  SELECT before.generation < known_generation
         OR EXISTS (SELECT
                      FROM unnest(known_shards, known_epochs, known_batches, known_events)
                             AS k(shard, epoch, batch_seq, event_seq)
                      LEFT JOIN holdfast.shard_leases s USING (shard)
                     WHERE s.shard IS NULL OR s.epoch < k.epoch OR s.batch_seq < k.batch_seq
                        OR s.event_seq < k.event_seq)
    INTO forgotten;
  IF NOT restored AND NOT forgotten AND NOT coalesce(before.server <> here, false) THEN
    RETURN false;
  END IF;
  UPDATE holdfast.cluster
     SET generation = greatest(generation, known_generation) + 1,
         generation_began_at = clock_timestamp(),
         numbers_above = greatest(numbers_above, above,
                                  (SELECT max(greatest(epoch, batch_seq, event_seq))
                                     FROM unnest(known_epochs, known_batches, known_events)
                                            AS k(epoch, batch_seq, event_seq)))
                         + tokens_of_generation,
         server = here;
  INSERT INTO holdfast.shard_leases (shard)
  SELECT generate_series(0, before.shards - 1) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM holdfast.shard_leases ORDER BY shard FOR UPDATE;
  WITH next AS (
    SELECT s.shard, s.event_seq AS last_seq,
           greatest(s.epoch, coalesce(k.epoch, 0), above) + 1 AS epoch,
           greatest(s.batch_seq, coalesce(k.batch_seq, 0), above) + 1 AS batch_seq,
           greatest(s.event_seq, coalesce(k.event_seq, 0), above) + 1 AS event_seq
      FROM holdfast.shard_leases s
      LEFT JOIN unnest(known_shards, known_epochs, known_batches, known_events)
                  AS k(shard, epoch, batch_seq, event_seq) USING (shard)),
  -- One gap, where the generation before has made no event.
  longer AS (
    UPDATE holdfast.event_gaps g SET last_seq = n.event_seq
      FROM next n WHERE g.shard = n.shard AND g.last_seq = n.last_seq
    RETURNING g.shard),
  gaps AS (
    INSERT INTO holdfast.event_gaps (shard, first_seq, last_seq)
    SELECT shard, last_seq + 1, event_seq FROM next
     WHERE shard NOT IN (SELECT shard FROM longer))
  UPDATE holdfast.shard_leases s
     SET epoch = n.epoch, batch_seq = n.batch_seq, event_seq = n.event_seq
    FROM next n WHERE s.shard = n.shard;
  RETURN true;
END $$;
