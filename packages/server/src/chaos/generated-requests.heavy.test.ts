import { join } from 'node:path'
import { createClient } from '@clewline/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chaosProcesses } from './chaos-process.ts'
import { probeLatency } from './probe-latency.ts'
import { hasSchemathesis, runSchemathesis, type SchemathesisReport } from './schemathesis.ts'
import { STORES, temporaryFolder } from './stores.ts'

/** The whole form is 10,000 on each store. */
const REQUESTS = Number(process.env['CLEWLINE_CHAOS_REQUESTS'] ?? 400)
const SEED = Number(process.env['CLEWLINE_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const timeout = 240_000 + REQUESTS * 200
const TENANTS = ['alice', 'bob'] as const
const hasTool = hasSchemathesis()
const needs = hasTool ? '' : ': SKIPPED, Schemathesis cannot be had here (Python 3 with venv, and PyPI)'

describe.each(STORES)(`a server on $name${needs}`, ({ isMissing, open }) => {
  test.skipIf(isMissing || !hasTool)(
    `answers ${REQUESTS} generated requests of two tenants as it has published, and its health check at once`,
    { timeout },
    async () => {
      const processes = chaosProcesses(join(temporaryFolder(), 'effects.jsonl'))
      const server = await processes.open(await open(), null)
      onTestFinished(() => server.kill())
      processes.close()
      const stop = new AbortController()
      const probing = probeLatency(`${server.url}/ok`, stop.signal)
      const reports = await Promise.all(TENANTS.map((token) => askAll(server.url, token)))
      stop.abort()
      const latency = await probing

      const requests = reports.reduce((sum, report) => sum + report.requests, 0)
      process.stdout.write(
        `CLEWLINE_CHAOS_SEED=${SEED}: ${requests} requests, /ok ${JSON.stringify(latency)} ms\n`,
      )
      expect(server.gone.aborted).toBe(false)
      expect(reports.flatMap(({ serverErrors }) => serverErrors)).toEqual([])
      expect(reports.map(({ failures }) => failures).join('')).toBe('')
      expect(latency.p99).toBeLessThan(100)
      for (const token of TENANTS) {
        const { threads } = await createClient({ url: server.url, token }).threads.list({ limit: 200 })
        expect(threads.filter(({ owner }) => owner !== token)).toEqual([])
      }
    },
  )
})

/** Passes of Schemathesis, each with a seed of its own, until the tenant has sent its share. */
async function askAll(url: string, token: (typeof TENANTS)[number]): Promise<SchemathesisReport> {
  const share = REQUESTS / TENANTS.length
  const examples = Math.max(2, Math.round(share / 100))
  let all: SchemathesisReport = { requests: 0, serverErrors: [], failures: '' }
  for (let pass = TENANTS.indexOf(token); all.requests < share; pass++) {
    // By turns: while one tenant tries the edges of every parameter, the other draws values.
    const phases = ['stateful', pass % 2 === 0 ? 'coverage' : 'fuzzing'] as const
    const one = await runSchemathesis({ url, token, seed: SEED + pass, phases, examples })
    all = {
      requests: all.requests + one.requests,
      serverErrors: [...all.serverErrors, ...one.serverErrors],
      failures: all.failures + one.failures,
    }
  }
  return all
}
