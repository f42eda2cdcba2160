import type { Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import type { Draft } from '@clewline/core/source'

/** A draft of the agent of these tests. */
export type Said = Omit<Draft, 'agent'>

export const start = (input: object = {}): Said => ({
  type: 'tool_start',
  path: [],
  payload: { tool_name: 'agent', kind: 'graph', input: input as never },
})
export const end = (messages: readonly object[] = []): Said => ({
  type: 'tool_end',
  path: [],
  payload: { tool_name: 'agent', status: 'ok', result: { messages, files: {}, usage: {} } as never },
})
export const llm = (path: string[], node?: string): Said => ({
  type: 'llm_start',
  path,
  payload: { model: 'm', params: {}, ...(node !== undefined && { node }) },
})
export const say = (path: string[], text: string, message_id?: string): Said => ({
  type: 'llm_token',
  path,
  payload: { text, ...(message_id !== undefined && { message_id }) },
})
export const think = (path: string[], text: string): Said => ({
  type: 'llm_token',
  path,
  payload: { text, channel: 'reasoning' },
})
export const args = (path: string[], id: string, text: string, index = 0): Said => ({
  type: 'llm_token',
  path,
  payload: { text, channel: 'tool_args', tool_call: { id, name: 'search', index } },
})
export const done = (path: string[], id: string, text = '', calls: readonly string[] = []): Said => ({
  type: 'llm_end',
  path,
  payload: {
    usage: { input_tokens: 3, output_tokens: 2 },
    finish_reason: 'stop',
    message: { id, text, tool_calls: calls.map((call) => ({ id: call, name: 'search', args: { q: call } })) },
  },
})
export const tool = (path: string[], id?: string, kind: 'tool' | 'subagent' | 'subgraph' = 'tool'): Said => ({
  type: 'tool_start',
  path,
  payload: {
    tool_name: kind === 'tool' ? 'search' : 'task',
    kind,
    args: kind === 'subagent' ? { subagent_type: 'researcher', description: 'Find out' } : {},
    ...(id !== undefined && { meta: { tool_call_id: id } }),
  },
})
export const result = (path: string[], value: unknown, status: 'ok' | 'pending_frontend' = 'ok'): Said => ({
  type: 'tool_end',
  path,
  payload: { tool_name: 'search', result: value as never, status },
})
export const update = (path: string[], payload: object): Said => ({
  type: 'tool_update',
  path,
  payload: { tool_name: 'search', ...payload },
})
export const fail = (path: string[], message: string): Said => ({
  type: 'error',
  path,
  payload: { name: 'x', message, stack: '', class: 'Error' },
})
export const ask = (path: string[], id: string): Said => ({
  type: 'subgraph_checkpoint',
  path,
  payload: {
    checkpoint_id: 'c',
    node: 'n',
    state_digest: '',
    interrupts: [{ id, value: { question: 'ok?' } }],
  },
})

/** What the ledger makes of them. */
export function envelopes(
  drafts: readonly Said[],
  run_id = 'run',
  history: readonly Envelope[] = [],
): Envelope[] {
  const ledger = createLedger({ trace_id: 'trace', run_id, history, now: () => 0 })
  return drafts.flatMap((draft) => [...ledger.stamp({ ...draft, agent: 'agent' } as Draft)])
}
