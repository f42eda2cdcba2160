import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export interface TestPostgres {
  readonly url: string
  /** The URL of another, empty database. */
  newDatabase(): Promise<string>
  /** As after a crash of the database server: every connection breaks. */
  restart(): void
  stop(): void
}

/** Where Debian puts the server's programs; null when they are not installed. */
export function postgresPrograms(): string | null {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : []
  return (
    versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ??
    null
  )
}

/** A real server with an empty database, in a folder of its own on a free port of loopback. */
export async function startPostgres(programs: string): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-postgres-'))
  // Postgres refuses to run as root; Debian's package comes with a user for it.
  const isRoot = process.getuid?.() === 0
  const run = (command: string, ...args: string[]): void => {
    const [program, ...rest] = isRoot
      ? ['runuser', '-u', 'postgres', '--', command, ...args]
      : [command, ...args]
    const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
  }
  if (isRoot) spawnSync('chown', ['postgres', folder])
  const data = join(folder, 'data')
  const port = await freePort()
  run(join(programs, 'initdb'), '-D', data, '-U', 'clewline', '-A', 'trust', '--no-sync')
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`
  const start = (): void =>
    run(join(programs, 'pg_ctl'), '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  start()
  const url = (database: string): string => `postgres://clewline@127.0.0.1:${port}/${database}`
  let made = 0
  return {
    url: url('postgres'),
    async newDatabase() {
      const name = `test_${(made += 1)}`
      const client = new pg.Client(url('postgres'))
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return url(name)
    },
    restart() {
      run(join(programs, 'pg_ctl'), '-D', data, '-m', 'immediate', 'stop')
      start()
    },
    stop() {
      run(join(programs, 'pg_ctl'), '-D', data, '-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
