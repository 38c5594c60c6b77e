-- works with programs of migration 34
-- API tokens (docs/adr/0098): the SHA-256 of the secret of each, never the secret. The host of the
-- shard of a token alone writes its row. A token that has expired or was revoked stays: its row
-- says when.
CREATE TABLE holdfast.api_tokens (
  token_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  expires_at timestamptz, -- null: never
  revoked_at timestamptz,
  last_used_at timestamptz,
  secret_hash text NOT NULL CHECK (secret_hash ~ '^[0-9a-f]{64}$'),
  role text NOT NULL CHECK (role IN ('admin', 'operator', 'requester', 'producer', 'worker',
                                     'contributor', 'auditor')),
  bound_name text NOT NULL -- of the contributor or worker; empty: any
    CHECK (octet_length(bound_name) <= 128
           AND (bound_name = '' OR role IN ('worker', 'contributor'))),
  created_by text NOT NULL CHECK (octet_length(created_by) <= 256),
  queues text[] NOT NULL, -- beginnings of names; with no workflows either: all of both
  workflows uuid[] NOT NULL
) WITH (fillfactor = 70);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.api_tokens AS
SELECT token_id, role, nullif(bound_name, '') AS bound_name, queues, workflows,
       CASE WHEN revoked_at IS NOT NULL THEN 'Revoked' WHEN expires_at <= now() THEN 'Expired'
            ELSE 'Good' END AS state,
       created_by, created_at, expires_at, revoked_at, last_used_at
FROM holdfast.api_tokens;
