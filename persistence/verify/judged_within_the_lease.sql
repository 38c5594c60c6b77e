-- I-3: A judgment came in while its lease was held, or else is marked as late (5 s allow for the
-- clocks of two hosts, and a step back of the database's clock that the outbox has on record
-- explains a judgment before its lease, or a late one before the end of it).
SELECT judgment_id, unit_id, started_at, submitted_at, lease_expires_at,
       CASE WHEN lease_expires_at < pruned.until
            THEN 'not on record any more, the events are pruned'
            ELSE 'no, by the outbox' END AS clock_was_set_back
FROM holdfast.judgments
CROSS JOIN pg_temp.pruned
WHERE (submitted_at >= lease_expires_at AND NOT is_late)
   OR lease_expires_at <= started_at
   OR (((submitted_at < lease_expires_at - interval '5 s' AND is_late)
        OR submitted_at < started_at - interval '5 s')
       AND NOT EXISTS (SELECT FROM pg_temp.stepped_back back
                        WHERE back.since <= CASE WHEN is_late THEN lease_expires_at
                                                 ELSE started_at END
                          AND back.until >= submitted_at))
