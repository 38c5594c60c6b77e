-- Webhooks into queues (docs/adr/0023): the reason of a place is why delivery has stopped there, or
-- why it waits.

ALTER TABLE holdfast.webhook_positions
  DROP CONSTRAINT webhook_positions_check,
  ADD CONSTRAINT webhook_positions_reason_check
    CHECK (stopped_revision = 0 OR reason IS NOT NULL);

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.webhooks AS
SELECT w.name, w.definition::jsonb ->> 'url' AS url, p.shard,
       CASE WHEN w.paused THEN 'Paused' WHEN p.stopped_revision = w.revision THEN 'Failing'
            ELSE 'Active' END AS state,
       p.seq AS position, s.event_seq - p.seq AS behind,
       (SELECT count(*) FROM holdfast.dead_letters d
         WHERE d.webhook_id = p.webhook_id AND d.shard = p.shard) AS dead_letters,
       CASE WHEN p.stopped_revision = w.revision
                 OR (p.stopped_revision = 0 AND NOT w.paused) THEN p.reason END AS reason,
       w.revision, w.created_at, greatest(w.changed_at, p.changed_at) AS changed_at,
       w.definition::jsonb ->> 'queue' AS queue
FROM holdfast.webhooks w
JOIN holdfast.webhook_positions p USING (webhook_id)
JOIN holdfast.shard_leases s ON s.shard = p.shard;
