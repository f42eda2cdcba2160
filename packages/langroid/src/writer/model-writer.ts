import type { Message, Usage } from '@clewline/core'
import { addUsage } from '@clewline/core/message'
import { callId, type CallPath, type RunContext } from '@clewline/core/source'
import type { BackendEvent } from '../backend.ts'
import type { Failure } from './run-writer.ts'
import type { StepWriter } from './step-writer.ts'

type Of<E extends BackendEvent['ev']> = Extract<BackendEvent, { ev: E }>

/** Model calls: one at a time, each with a message of its own. */
export interface ModelWriter {
  start(event: Of<'llm_start'>): Promise<void>
  token(event: Of<'text'> | Of<'reasoning'>): Promise<void>
  name(event: Of<'tool_name'>): void
  args(event: Of<'tool_args'>): Promise<void>
  /** Resolves with the agent that had asked. */
  end(event: Of<'llm_end'>): Promise<string | undefined>
  /** A whole call beside the conversation: below a sub-agent of its own, so that readers do not take it for the answer. */
  aside(event: Of<'inner_call'>): Promise<void>
  /** Ends a call that did not end by itself. */
  close(reason: string, failure?: Failure): Promise<void>
  /** An assistant message that no model said: worded by a hook, or a task's result. Resolves with its id. */
  say(text: string, by: string): Promise<string>
  /** The backend begins to count its turns anew. */
  rebase(): void
  /** Counts anew: what follows is a replay. */
  restart(): void
  /** The id by which readers know the newest answer. */
  readonly messageId: string
  readonly turns: number
  readonly usage: Usage
  readonly hasSpoken: boolean
}

export function modelWriter(options: {
  readonly name: string
  readonly context: RunContext
  readonly steps: StepWriter
  readonly firstTurn: number
  /** The main agent's answers go here. */
  readonly shown: Message[]
}): ModelWriter {
  const { name, context, steps, shown } = options
  const streaming = new Map<number, { readonly id: string; readonly name: string }>()
  let turns = options.firstTurn
  let base = options.firstTurn
  let open: { readonly path: CallPath; readonly agent: string; reasoning: string } | undefined
  let usage: Usage = {}
  let messageId = ''
  let asides = 0
  let hasSpoken = false

  return {
    get messageId() {
      return messageId
    },
    get turns() {
      return turns
    },
    get usage() {
      return usage
    },
    get hasSpoken() {
      return hasSpoken
    },
    rebase() {
      base = turns
    },
    restart() {
      turns = options.firstTurn
      base = options.firstTurn
      asides = 0
      usage = {}
    },

    async start(event) {
      const path = [...steps.top, `llm:${base + event.turn}`]
      const agent = steps.depth === 0 ? name : event.agent
      turns = base + event.turn + 1
      open = { path, agent, reasoning: '' }
      messageId = callId(context.trace_id, path)
      streaming.clear()
      const { model, params = {}, input } = event
      const payload = { model, params, ...(input !== undefined && { input }) }
      await context.emit({ type: 'llm_start', path, agent, payload })
    },

    async token({ ev, delta }) {
      if (open === undefined || delta === '') return
      if (ev === 'reasoning') open.reasoning += delta
      else hasSpoken = true
      const payload = ev === 'reasoning' ? { text: delta, channel: ev } : { text: delta }
      await context.emit({ type: 'llm_token', path: open.path, agent: open.agent, payload })
    },

    name(event) {
      // Not shown to the client: a call that the model made up could not be answered.
      if (event.place !== 'unknown') streaming.set(event.index, { id: event.id, name: event.name })
    },

    async args({ index, delta }) {
      const call = streaming.get(index)
      if (open === undefined || call === undefined || delta === '') return
      const payload = { text: delta, channel: 'tool_args' as const, tool_call: { ...call, index } }
      await context.emit({ type: 'llm_token', path: open.path, agent: open.agent, payload })
    },

    async end(event) {
      if (open === undefined) return undefined
      const { path, agent, reasoning } = open
      open = undefined
      const asked = event.tool_calls.filter((call) => call.place !== 'unknown')
      const tool_calls = asked.map(({ id, name, args }) => ({ id, name, args }))
      const thought = reasoning === '' ? {} : { reasoning }
      const message = { id: messageId, text: event.content, tool_calls, ...thought }
      const { finish_reason } = event
      await context.emit({
        type: 'llm_end',
        path,
        agent,
        payload: { usage: event.usage, finish_reason, message },
      })
      usage = addUsage(usage, event.usage)
      steps.spend(event.usage)
      if (steps.depth === 0 && (event.content !== '' || tool_calls.length > 0)) {
        const calls = tool_calls.length === 0 ? {} : { tool_calls }
        shown.push({ id: messageId, role: 'assistant', text: event.content, ...calls, ...thought })
      }
      return agent
    },

    async aside({ agent, model, content, usage: used }) {
      const path = [...steps.top, `inner:${asides++}`]
      const inner = [...path, 'llm:0']
      const message = { id: callId(context.trace_id, inner), text: content, tool_calls: [] }
      const input = { from: steps.depth === 0 ? name : agent }
      const result = {
        messages: [{ id: message.id, role: 'assistant' as const, text: content }],
        files: {},
        usage: used,
      }
      usage = addUsage(usage, used)
      steps.spend(used)
      const head = { agent, path }
      await context.emit({
        type: 'tool_start',
        ...head,
        payload: { tool_name: agent, kind: 'subagent', input },
      })
      await context.emit({ type: 'llm_start', agent, path: inner, payload: { model, params: {} } })
      await context.emit({
        type: 'llm_end',
        agent,
        path: inner,
        payload: { usage: used, finish_reason: 'stop', message },
      })
      await context.emit({ type: 'tool_end', ...head, payload: { tool_name: agent, result, status: 'ok' } })
    },

    async close(finish_reason, failure) {
      if (open === undefined) return
      const { path, agent } = open
      open = undefined
      if (failure !== undefined) {
        await context.emit({ type: 'error', path, agent, payload: { ...failure, stack: '' } })
        return
      }
      const message = { id: messageId, text: '', tool_calls: [] }
      await context.emit({ type: 'llm_end', path, agent, payload: { usage: {}, finish_reason, message } })
    },

    async say(text, by) {
      const path = [`llm:${turns++}`]
      base = turns
      messageId = callId(context.trace_id, path)
      const message = { id: messageId, text, tool_calls: [] }
      const head = { path, agent: name }
      await context.emit({ type: 'llm_start', ...head, payload: { model: by, params: {} } })
      if (text !== '') await context.emit({ type: 'llm_token', ...head, payload: { text } })
      await context.emit({ type: 'llm_end', ...head, payload: { usage: {}, finish_reason: 'stop', message } })
      hasSpoken = true
      shown.push({ id: messageId, role: 'assistant', text })
      return messageId
    },
  }
}
