-- works with programs of migration 25
-- Rows of live work stay as briefly as the work takes, so what their tables take is the space of
-- rows that a vacuum has not been to (docs/adr/0075). By default it takes pauses, and at 70,000
-- tasks a second it was never done: the tables of some thousand live tasks had 4 GB after 100 s.
-- Without pauses it is done in a moment, because the tables are small. It does not give space back
-- to the file system, for which it would lock out the writers: the next rows need it. It does not
-- come for rows that were only added, because they leave soon enough.

ALTER TABLE holdfast.tasks
  SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000,
       autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
       autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
ALTER TABLE holdfast.task_leases
  SET (autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
       autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
ALTER TABLE holdfast.active_leases
  SET (autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
       autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
ALTER TABLE holdfast.task_intake
  SET (autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 5000,
       vacuum_truncate = off);

-- A server that looks every two seconds would look through a young history every two seconds: each
-- time it has grown by a tenth.
ALTER TABLE holdfast.finished_tasks
  SET (autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_threshold = 50000);
