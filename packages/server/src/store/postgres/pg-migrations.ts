import { ClewlineError } from '@clewline/core'
import type { Database } from './pg-database.ts'

/** One entry per version of the schema, applied in order and never edited once released: stores in the field have run them. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE clewline.segments (
    thread_id text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (thread_id, first)
  );
  -- Frames are compressed as little as TOAST allows: they are read far more often than they are stored.
  ALTER TABLE clewline.segments ALTER COLUMN bytes SET STORAGE EXTERNAL;

  CREATE TABLE clewline.threads (
    thread_id text PRIMARY KEY,
    title text,
    agent text,
    status text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    owner text,
    metadata text NOT NULL
  );
  CREATE INDEX threads_newest ON clewline.threads (updated_at DESC, thread_id DESC);

  CREATE TABLE clewline.runs (
    id bigint GENERATED ALWAYS AS IDENTITY,
    run_id text PRIMARY KEY,
    thread_id text NOT NULL,
    trace_id text NOT NULL,
    agent text NOT NULL,
    status text NOT NULL,
    request text NOT NULL,
    attempt integer NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    started_at text COLLATE "C",
    ended_at text COLLATE "C",
    run_at text COLLATE "C" NOT NULL,
    cron_id text,
    error text,
    crashes integer NOT NULL,
    position bigint,
    end_position bigint,
    base_checkpoint text,
    worker text,
    lease_until text COLLATE "C"
  );
  CREATE INDEX runs_of_thread ON clewline.runs (thread_id, created_at);
  CREATE INDEX runs_of_trace ON clewline.runs (trace_id, created_at);
  CREATE INDEX runs_due ON clewline.runs (run_at) WHERE status = 'pending';
  CREATE INDEX runs_leased ON clewline.runs (lease_until) WHERE status = 'running';
  CREATE UNIQUE INDEX runs_one_at_a_time ON clewline.runs (thread_id) WHERE status = 'running';
  CREATE UNIQUE INDEX runs_one_answer ON clewline.runs (trace_id) WHERE status IN ('pending', 'running');

  CREATE TABLE clewline.crons (
    cron_id text PRIMARY KEY,
    schedule text NOT NULL,
    timezone text NOT NULL,
    thread_id text,
    agent text NOT NULL,
    input text NOT NULL,
    on_overlap text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    next_at text COLLATE "C" NOT NULL,
    last_at text COLLATE "C",
    last_run_id text,
    owner text
  );
  `,
  `
  ALTER TABLE clewline.runs ADD COLUMN compacted boolean NOT NULL DEFAULT false;
  CREATE INDEX runs_whole ON clewline.runs (ended_at) WHERE NOT compacted;
  `,
  `
  ALTER TABLE clewline.runs ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
  ALTER TABLE clewline.runs ADD COLUMN priority text NOT NULL DEFAULT 'normal';
  ALTER TABLE clewline.runs ADD COLUMN urgency smallint NOT NULL DEFAULT 1;
  UPDATE clewline.runs SET owner = threads.owner FROM clewline.threads
    WHERE threads.thread_id = runs.thread_id AND threads.owner IS NOT NULL;
  UPDATE clewline.runs SET urgency = 3 WHERE status = 'pending' AND attempt > 0;
  CREATE INDEX runs_turn ON clewline.runs (owner, urgency, (run_at > created_at), run_at, id) WHERE status = 'pending';
  CREATE INDEX runs_running ON clewline.runs (owner) WHERE status = 'running';
  ALTER TABLE clewline.threads ADD COLUMN log_bytes bigint NOT NULL DEFAULT 0;
  UPDATE clewline.threads SET log_bytes = coalesce(
    (SELECT sum(length(bytes)) FROM clewline.segments WHERE segments.thread_id = threads.thread_id), 0);
  CREATE INDEX threads_of_owner ON clewline.threads (owner, log_bytes);
  `,
  // Parts stand in the rows of the log (PROTOCOL.md, section 7); this says in which. Logs of protocol 1 have none.
  `
  CREATE TABLE clewline.parts (
    thread_id text NOT NULL,
    name text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    PRIMARY KEY (thread_id, name)
  );
  CREATE INDEX parts_place ON clewline.parts (thread_id, first);
  `,
]

// Any number, as long as it is always this one: replicas that start together migrate one after the other.
const LOCK = 7_534_600_181

/**
 * Brings the schema `clewline` to this version, and lets `also` do its part, one process at a time. A store from a newer
 * Clewline is left alone.
 */
export async function migrate(database: Database, also: () => Promise<void>): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.run(`SELECT pg_advisory_xact_lock(${LOCK})`)
    await also()
    await queries.run('CREATE SCHEMA IF NOT EXISTS clewline')
    await queries.run('CREATE TABLE IF NOT EXISTS clewline.schema_version (version integer NOT NULL)')
    const row = await queries.one<{ version: number }>('SELECT version FROM clewline.schema_version')
    const version = row?.version ?? 0
    if (version > MIGRATIONS.length) {
      throw new ClewlineError(
        'conflict',
        `The store has schema ${version}; this Clewline knows up to ${MIGRATIONS.length}.`,
        {
          hint: 'Use the Clewline version that wrote it, or another database.',
        },
      )
    }
    if (version === MIGRATIONS.length) return
    for (const migration of MIGRATIONS.slice(version)) await queries.run(migration)
    await queries.run('DELETE FROM clewline.schema_version')
    await queries.run('INSERT INTO clewline.schema_version VALUES ($1)', [MIGRATIONS.length])
  })
}
