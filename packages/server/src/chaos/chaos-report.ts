import { isDeepStrictEqual } from 'node:util'
import type { Client, Run } from '@clewline/client'
import { verify } from '@clewline/core/check'
import { exportedLog, hasSeen, readOn } from '../kill/watched-thread.ts'
import type { Conversation } from './conversation.ts'
import { answerTo, ENDINGS } from './endings.ts'
import type { Effect } from './effects.ts'

/** What must not be there after any number of kills: empty lists mean that everything held. */
export interface Findings {
  /** Runs that were accepted and are gone or ended badly; side effects that never happened. */
  readonly lost: string[]
  /** Readers that missed an envelope or got one twice. */
  readonly wrongReaders: string[]
  /** Answers that were used for a question that they were not given to. */
  readonly wrongAnswers: string[]
  readonly wrongStates: string[]
  readonly stuck: string[]
  readonly brokenLogs: string[]
  readonly serverErrors: string[]
  /** Requests of clients that did nothing wrong. */
  readonly refused: string[]
}

export function noFindings(): Findings {
  return {
    lost: [],
    wrongReaders: [],
    wrongAnswers: [],
    wrongStates: [],
    stuck: [],
    brokenLogs: [],
    serverErrors: [],
    refused: [],
  }
}

/** How many runs a conversation took, and how many of them were taken up by another process. */
export interface Examined {
  readonly runs: number
  readonly recovered: number
}

/** Looks at a conversation when it should be over, and notes what is wrong with it. */
export async function examine(
  url: string,
  token: string,
  client: Client,
  one: Conversation,
  effects: readonly Effect[],
  found: Findings,
): Promise<Examined> {
  const { thread_id, agent } = one
  const { digest, end, effects: wanted } = ENDINGS[agent]
  const runs = await client.runs.list(thread_id).catch((error: unknown) => String(error))
  if (typeof runs === 'string') {
    found.stuck.push(`${thread_id}: ${runs}`)
    return { runs: 0, recovered: 0 }
  }
  if (!one.isOver) found.stuck.push(`${thread_id}: ${runs.map(howItStands).join(', ')}`)
  for (const { run_id, status, error } of runs) {
    if (status !== 'success' && status !== 'interrupted')
      found.lost.push(`${run_id}: ${status} ${error?.message ?? ''}`)
  }
  for (const run_id of one.accepted) {
    if (!runs.some((run) => run.run_id === run_id)) found.lost.push(`${run_id}: accepted, and gone`)
  }
  const done = new Set(effects.filter(({ thread }) => thread === thread_id).map(({ what }) => what))
  for (const what of wanted) if (!done.has(what)) found.lost.push(`${thread_id}: never did "${what}"`)

  const { values } = await client.threads.state(thread_id)
  const ended = digest(values as never)
  for (const { question, answer } of answersIn(values)) {
    if (answer !== answerTo(question))
      found.wrongAnswers.push(`${thread_id}: ${JSON.stringify(answer)} for "${question}"`)
  }
  if (!isDeepStrictEqual(ended, end)) found.wrongStates.push(`${thread_id}: ${JSON.stringify(ended)}`)

  const headers = { authorization: `Bearer ${token}` }
  const log = await exportedLog(url, thread_id, headers)
  for (const { rule, message } of verify(log)) found.brokenLogs.push(`${thread_id}: ${rule}: ${message}`)
  await readOn(url, one, AbortSignal.timeout(10_000), { headers, until: log.length })
  if (!hasSeen(one, log)) found.wrongReaders.push(thread_id)
  return { runs: runs.length, recovered: runs.filter(({ attempt }) => attempt > 1).length }
}

/** For a diagnosis: a run whose lease has not expired yet is slow, one that was never claimed is lost. */
const howItStands = ({ run_id, status, attempt, created_at, started_at }: Run): string =>
  `${run_id} is ${status}, attempt ${attempt}, created ${created_at}, started ${started_at ?? 'never'}`

function answersIn(values: unknown): readonly { readonly question: string; readonly answer: unknown }[] {
  const { answers } = values as {
    answers?: readonly { readonly question: string; readonly answer: unknown }[]
  }
  return answers ?? []
}

/** Side effects beyond the first of their kind, by agent: what at-least-once costs. */
export function repeatedEffects(effects: readonly Effect[]): Readonly<Record<string, string>> {
  const agents = Object.keys(ENDINGS)
  return Object.fromEntries(
    agents.map((agent) => {
      const all = effects.filter((effect) => effect.agent === agent)
      const once = new Set(all.map(({ thread, what }) => `${thread} ${what}`))
      return [agent, `${all.length - once.size} of ${once.size}`]
    }),
  )
}
