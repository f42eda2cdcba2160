import type { Envelope } from '@clewline/core'
import type { Clewline } from '../create-clewline.ts'
import { threadRow, runRow, LEASE_MS } from './store-under-test.ts'

/** How the tokens of a long run are spread over its model calls. */
export type LongShape = 'one call' | 'many calls' | 'calls that take turns'

/** Writes a finished run of so many tokens to the log, as its worker would. */
export async function longRun(
  clewline: Clewline,
  thread_id: string,
  shape: LongShape,
  tokens: number,
): Promise<void> {
  const { store, log } = clewline
  const run = runRow(thread_id, { run_id: thread_id, trace_id: thread_id })
  await store.threads.insert(threadRow(thread_id))
  await store.runs.insert(run)
  const { run_id, attempt } = (await store.runs.claim('long', LEASE_MS))!
  const fence = { run_id, attempt }
  await store.runs.begin(fence, 0, null)
  const writer = log.writer(thread_id, fence)
  const seqs = new Map<string, number>()
  for (let i = 0; i < tokens; i++) {
    const call_id = callOf(shape, i, tokens)
    const seq = (seqs.get(call_id) ?? 0) + 1
    seqs.set(call_id, seq)
    await writer.push([tokenOf(run, call_id, seq, i)])
  }
  await writer.flush({ status: 'success', thread_status: 'idle', error: null })
}

function callOf(shape: LongShape, i: number, tokens: number): string {
  switch (shape) {
    case 'one call':
      return 'c'
    case 'many calls':
      return `c${Math.floor(i / (tokens / 500))}`
    case 'calls that take turns':
      return `c${i % 7}`
  }
}

function tokenOf(
  { run_id, trace_id, agent }: { run_id: string; trace_id: string; agent: string },
  call_id: string,
  seq: number,
  i: number,
): Envelope {
  return {
    type: 'llm_token',
    ts: 1_700_000_000 + i / 50,
    trace_id,
    run_id,
    call_id,
    parent_id: null,
    seq,
    origin: 'live',
    agent,
    payload: { text: `w${i} `, message_id: call_id },
  }
}
