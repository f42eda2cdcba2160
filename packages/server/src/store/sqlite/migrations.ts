import { ClewlineError } from '@clewline/core'
import type { Database } from './database.ts'

/** One entry per version of the schema, applied in order and never edited once released: stores in the field have run them. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    thread_id TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    bytes BLOB NOT NULL
  );
  CREATE UNIQUE INDEX segments_place ON segments (thread_id, first);

  CREATE TABLE threads (
    thread_id TEXT PRIMARY KEY,
    title TEXT,
    agent TEXT,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    owner TEXT,
    metadata TEXT NOT NULL
  );
  CREATE INDEX threads_newest ON threads (updated_at DESC, thread_id DESC);

  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    status TEXT NOT NULL,
    request TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    run_at TEXT NOT NULL,
    cron_id TEXT,
    error TEXT,
    crashes INTEGER NOT NULL,
    position INTEGER,
    end_position INTEGER,
    base_checkpoint TEXT,
    worker TEXT,
    lease_until TEXT
  );
  CREATE INDEX runs_of_thread ON runs (thread_id, created_at);
  CREATE INDEX runs_of_trace ON runs (trace_id, created_at);
  CREATE INDEX runs_due ON runs (run_at) WHERE status = 'pending';
  CREATE UNIQUE INDEX runs_one_at_a_time ON runs (thread_id) WHERE status = 'running';
  CREATE UNIQUE INDEX runs_one_answer ON runs (trace_id) WHERE status IN ('pending', 'running');

  CREATE TABLE crons (
    cron_id TEXT PRIMARY KEY,
    schedule TEXT NOT NULL,
    timezone TEXT NOT NULL,
    thread_id TEXT,
    agent TEXT NOT NULL,
    input TEXT NOT NULL,
    on_overlap TEXT NOT NULL,
    created_at TEXT NOT NULL,
    next_at TEXT NOT NULL,
    last_at TEXT,
    last_run_id TEXT,
    owner TEXT
  );

  CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL,
    ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    parent_id TEXT,
    type TEXT NOT NULL,
    checkpoint BLOB NOT NULL,
    metadata BLOB NOT NULL,
    PRIMARY KEY (thread_id, ns, checkpoint_id)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoint_values (
    thread_id TEXT NOT NULL,
    ns TEXT NOT NULL,
    channel TEXT NOT NULL,
    version TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, ns, channel, version)
  );
  CREATE TABLE checkpoint_writes (
    thread_id TEXT NOT NULL,
    ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, ns, checkpoint_id, task_id, idx)
  );
  `,
  `
  ALTER TABLE runs ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_whole ON runs (ended_at) WHERE compacted = 0;
  `,
  `
  ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal';
  ALTER TABLE runs ADD COLUMN urgency INTEGER NOT NULL DEFAULT 1;
  UPDATE runs SET owner = coalesce((SELECT owner FROM threads WHERE threads.thread_id = runs.thread_id), ''),
    urgency = CASE WHEN status = 'pending' AND attempt > 0 THEN 3 ELSE 1 END;
  CREATE INDEX runs_turn ON runs (owner, urgency, (run_at > created_at), run_at) WHERE status = 'pending';
  CREATE INDEX runs_running ON runs (owner) WHERE status = 'running';
  ALTER TABLE threads ADD COLUMN log_bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE threads SET log_bytes = coalesce(
    (SELECT sum(length(bytes)) FROM segments WHERE segments.thread_id = threads.thread_id), 0);
  CREATE INDEX threads_of_owner ON threads (owner, log_bytes);
  `,
  // Parts stand in the rows of the log (PROTOCOL.md, section 7); this says in which. Logs of protocol 1 have none.
  `
  CREATE TABLE parts (
    thread_id TEXT NOT NULL,
    name TEXT NOT NULL,
    first INTEGER NOT NULL,
    PRIMARY KEY (thread_id, name)
  ) WITHOUT ROWID;
  CREATE INDEX parts_place ON parts (thread_id, first);
  `,
  // A row of SQLite is read up to the column that is wanted, and written whole: megabytes of a request do not belong among columns
  // that lists read and heartbeats write.
  `
  CREATE TABLE run_requests (run_id TEXT PRIMARY KEY, request TEXT NOT NULL);
  INSERT INTO run_requests (run_id, request) SELECT run_id, request FROM runs;
  ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'input';
  UPDATE runs SET kind = 'resume' WHERE json_extract(request, '$.kind') = 'resume';
  ALTER TABLE runs DROP COLUMN request;
  `,
]

/** Brings a store to this version's schema, or to an earlier one. A store from a newer Clewline is left alone. */
export function migrate(database: Database, to = MIGRATIONS.length): void {
  const version = database.statement<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0
  if (version > MIGRATIONS.length) {
    throw new ClewlineError(
      'conflict',
      `The store has schema ${version}; this Clewline knows up to ${MIGRATIONS.length}.`,
      {
        hint: 'Use the Clewline version that wrote it, or another directory with --store.',
      },
    )
  }
  for (let next = version; next < to; next++) {
    database.transaction(() => {
      database.exec(MIGRATIONS[next]!)
      database.exec(`PRAGMA user_version = ${next + 1}`)
    })
  }
}
