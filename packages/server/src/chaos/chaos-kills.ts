import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@clewline/client'
import { readOn } from '../kill/watched-thread.ts'
import type { Aim } from './aim.ts'
import { type ChaosProcess, chaosProcesses } from './chaos-process.ts'
import { examine, type Findings, noFindings, repeatedEffects } from './chaos-report.ts'
import { type Conversation, converse, newConversation } from './conversation.ts'
import { readEffects } from './effects.ts'
import { AGENTS } from './endings.ts'
import { inherit, type Inheritance, newInheritance } from './inheritance.ts'

export interface ChaosReport {
  readonly kills: number
  /** Kills that fell on the very write that they were aimed at, by window and moment. */
  readonly hits: Readonly<Record<string, number>>
  readonly runs: number
  readonly recovered: number
  readonly repeatedEffects: Readonly<Record<string, string>>
  readonly found: Findings
}

export interface ChaosOptions {
  readonly store: string
  /** For what the agents do outside the store. */
  readonly folder: string
  readonly plan: readonly (Aim | null)[]
  readonly random: () => number
}

interface Tenants {
  readonly alice: Client
  readonly bob: Client
}

/** A round that gets nowhere ends all the same; what is not over then goes on in the next. */
const ROUND_MS = 6_000
/** A request that takes longer has no answer: its client is stuck. */
const REQUEST_MS = 30_000
/** After the last kill everything has so long to come to its end. */
const SETTLE_MS = 60_000

/** Kills a busy server again and again, at the writes that the plan aims at or (null) at random, then looks at everything that is left. */
export async function chaosKills({ store, folder, plan, random }: ChaosOptions): Promise<ChaosReport> {
  const effectsFile = join(folder, 'effects.jsonl')
  const processes = chaosProcesses(effectsFile)
  const talks: Conversation[] = []
  const inheritances: Inheritance[] = []
  const hits: Record<string, number> = {}
  const found = noFindings()
  try {
    for (const [round, aim] of plan.entries()) {
      talks.push(...AGENTS.map((agent) => newConversation(agent, `${agent}-${round}`)))
      if (aim?.window === 'delete') inheritances.push(newInheritance(`inherited-${round}`))
      const server = await processes.open(store, aim)
      await work(server, aim === null ? random() * 1_500 : ROUND_MS)
      if (server.gone.aborted && aim !== null) {
        const where = `${aim.moment} ${aim.window}`
        hits[where] = (hits[where] ?? 0) + 1
      }
      await server.kill()
    }
    const server = await processes.open(store, null)
    await work(server, SETTLE_MS)
    const report = await look(server)
    await server.kill()
    return report
  } finally {
    processes.close()
  }

  /** Until everything is over, the server is gone, or the time is. */
  async function work(server: ChaosProcess, ms: number): Promise<void> {
    if (server.url === '') return
    const timeout = new AbortController()
    const signal = AbortSignal.any([server.gone, timeout.signal])
    const tenants = tenantsOf(server)
    const headers = { authorization: 'Bearer alice' }
    const open = talks.filter(({ isOver }) => !isOver)
    const readers = open.map((one) => readOn(server.url, one, signal, { headers }))
    const all = Promise.all([
      ...open.map((one) => untilOver(one, () => converse(tenants.alice, one, signal, random), signal)),
      ...inheritances.map((one) => untilOver(one.heir, () => inherit(tenants, one, signal, random), signal)),
    ])
    await Promise.race([all, sleep(ms, undefined, { signal: server.gone }).catch(() => {})])
    timeout.abort()
    await Promise.all([all, ...readers])
  }

  async function look(server: ChaosProcess): Promise<ChaosReport> {
    const { alice, bob } = tenantsOf(server)
    const effects = readEffects(effectsFile)
    const examined = [
      ...talks.map((one) => ({ one, client: alice, token: 'alice' })),
      ...inheritances.map(({ heir }) => ({ one: heir, client: bob, token: 'bob' })),
    ]
    let runs = 0
    let recovered = 0
    for (const { one, client, token } of examined) {
      const seen = await examine(server.url, token, client, one, effects, found)
      runs += seen.runs
      recovered += seen.recovered
    }
    return { kills: plan.length, hits, runs, recovered, repeatedEffects: repeatedEffects(effects), found }
  }

  function tenantsOf({ url, gone }: ChaosProcess): Tenants {
    const watched: typeof fetch = async (input, init) => {
      const response = await fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_MS) })
      if (response.status >= 500 && !gone.aborted) {
        found.serverErrors.push(
          `${response.status} ${init?.method ?? 'GET'} ${response.url.slice(url.length)}`,
        )
      }
      return response
    }
    return {
      alice: createClient({ url, token: 'alice', fetch: watched }),
      bob: createClient({ url, token: 'bob', fetch: watched }),
    }
  }

  /** A client that was turned away, because the question had been answered meanwhile, looks again. */
  async function untilOver(
    one: Conversation,
    attempt: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!one.isOver && !signal.aborted) {
      try {
        await attempt()
      } catch (error) {
        found.refused.push(`${one.thread_id}: ${String(error)}`)
        return
      }
      if (!one.isOver) await sleep(50, undefined, { signal }).catch(() => {})
    }
  }
}
