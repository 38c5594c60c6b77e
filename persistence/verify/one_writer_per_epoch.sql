-- I-7: Along a shard's events batches ascend and epochs never fall, up to those of its lease row.
SELECT o.shard, o.first_seq, o.epoch, o.batch_seq, o.earlier_epoch, o.earlier_batch_seq,
       s.epoch AS lease_epoch, s.batch_seq AS lease_batch_seq
FROM (SELECT shard, first_seq, epoch, batch_seq,
             lag(epoch) OVER w AS earlier_epoch, lag(batch_seq) OVER w AS earlier_batch_seq
      FROM holdfast.outbox
      WINDOW w AS (PARTITION BY shard ORDER BY first_seq)) o
LEFT JOIN holdfast.shard_leases s USING (shard)
WHERE o.epoch < o.earlier_epoch OR o.batch_seq <= o.earlier_batch_seq OR s.shard IS NULL
   OR o.epoch > s.epoch OR o.batch_seq > s.batch_seq
