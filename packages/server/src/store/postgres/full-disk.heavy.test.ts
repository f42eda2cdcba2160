import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../testing/start-service.ts'
import { postgresPrograms, startPostgres } from './start-postgres.ts'

const State = Annotation.Root({
  n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  text: Annotation<string>(),
})
/** Counts to 100, with some kilobytes that do not compress in the state at each step. */
const counting = new StateGraph(State)
  .addNode('step', async () => {
    await sleep(20)
    return { n: 1, text: noise(20_000) }
  })
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ n }) => (n < 100 ? 'step' : END))
  .compile()

const noise = (length: number): string =>
  Array.from({ length: length / 10 }, () => Math.random().toString(36).slice(2, 12).padEnd(10, 'x')).join('')

const run = (program: string, ...args: string[]): number | null => spawnSync(program, args).status

/** A file system of some megabytes, for which one must be root; null without. */
function smallDisk(): string | null {
  if (process.getuid?.() !== 0) return null
  const folder = mkdtempSync(join(tmpdir(), 'clewline-small-disk-'))
  if (run('mount', '-t', 'tmpfs', '-o', 'size=32m,mode=777', 'tmpfs', folder) !== 0) return null
  onTestFinished(() => {
    run('umount', '-l', folder)
    rmSync(folder, { recursive: true, force: true })
  })
  run('chown', 'postgres', folder)
  return folder
}

/** Until not a byte more fits on its disk. */
function fill(file: string): void {
  for (const bytes of [100_000, 4_096, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}

test(
  'a full disk under Postgres is said to requests that write, and runs go on when there is room',
  { timeout: 120_000 },
  async ({ skip }) => {
    const programs = postgresPrograms()
    if (programs === null) return skip('PostgreSQL is not on this machine')
    const disk = smallDisk()
    if (disk === null) return skip('only root may mount a small disk')
    const postgres = await startPostgres(programs)
    onTestFinished(() => postgres.stop())
    const admin = new pg.Client(postgres.url)
    await admin.connect()
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk}'`)
    await admin.query('CREATE DATABASE small TABLESPACE small')
    await admin.end()
    const store = Object.assign(new URL(postgres.url), { pathname: '/small' }).href
    const { call } = await startService({ agents: { counting }, store, leaseMs: 3_000 })
    await call('POST', '/api/threads', { thread_id: 'other', title: 'kept' })
    await call('POST', '/api/threads', { thread_id: 't' })
    await call('POST', '/api/threads/t/runs', {
      agent: 'counting',
      input: {},
      run_id: 'r',
      config: { recursion_limit: 500 },
    })
    const steps = async (): Promise<unknown> => (await call('GET', '/api/threads/t/state')).body['values']
    await expect.poll(steps, { timeout: 20_000 }).toMatchObject({ n: expect.any(Number) })
    const ballast = join(disk, 'ballast')
    fill(ballast)
    const large = noise(400_000)
    const sentence = 'The store cannot be written: its disk is full.'
    for (const [method, path, body] of [
      ['PATCH', '/api/threads/other', { metadata: { large } }],
      ['POST', '/api/threads', { metadata: { large } }],
      ['POST', '/api/threads/other/runs', { agent: 'counting', input: { text: large } }],
    ] as const) {
      const reply = await call(method, path, body)
      expect([method, path, reply.status, reply.body]).toMatchObject([
        method,
        path,
        503,
        { error: { code: 'unavailable', message: sentence } },
      ])
    }
    expect(await call('GET', '/api/threads/other')).toMatchObject({ status: 200, body: { title: 'kept' } })
    // Long enough for some heartbeats, in which the run must not be given up.
    await sleep(4_000)
    expect((await call('GET', '/api/threads/t/runs/r')).body).toMatchObject({ status: 'running' })

    rmSync(ballast)
    await expect
      .poll(async () => (await call('GET', '/api/threads/t/runs/r')).body['status'], {
        timeout: 60_000,
        interval: 200,
      })
      .toBe('success')
    expect((await call('GET', '/api/threads/t/state')).body).toMatchObject({ values: { n: 100 } })
    expect((await call('DELETE', '/api/threads/t')).status).toBe(204)
  },
)
