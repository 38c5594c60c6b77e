-- I-3: A judgment came in while its lease was held, or else is marked as late (5 s allow for the
-- clocks of two hosts).
SELECT judgment_id, unit_id, started_at, submitted_at, lease_expires_at
FROM holdfast.judgments
WHERE (submitted_at >= lease_expires_at AND NOT is_late)
   OR (submitted_at < lease_expires_at - interval '5 s' AND is_late)
   OR submitted_at < started_at - interval '5 s'
   OR lease_expires_at <= started_at
