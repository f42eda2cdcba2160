import pg from 'pg'

let made = 0

/**
 * Where a test keeps its threads: in memory; or, while `CLEWLINE_TEST_POSTGRES` names a server, in a database of its own
 * there, so that the same tests hold on both.
 */
export async function testStore(): Promise<string> {
  const url = process.env['CLEWLINE_TEST_POSTGRES']
  if (url === undefined) return ':memory:'
  const name = `test_${process.pid}_${(made += 1)}`
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
