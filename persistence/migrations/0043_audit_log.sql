-- works with programs of migration 34
-- The audit log (docs/adr/0099): one row for each administrative change that a principal had made,
-- written by the transaction of the change.
CREATE TABLE holdfast.audit_log (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  who text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  item text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL
);
CREATE INDEX audit_log_by_time ON holdfast.audit_log (at);
CREATE INDEX audit_log_by_principal ON holdfast.audit_log (who, audit_id);
CREATE INDEX audit_log_by_item ON holdfast.audit_log (item, audit_id);
