import type { Json, Message } from '@clewline/core'
import { callId, type CallPath, type RunContext } from '@clewline/core/source'
import type { BackendCall, BackendEvent } from '../backend.ts'
import type { StepWriter } from './step-writer.ts'

type Of<E extends BackendEvent['ev']> = Extract<BackendEvent, { ev: E }>

/** Tool calls, from the model's asking to their result. */
export interface ToolWriter {
  /** The model has asked. A call of the client's is over at once: it is pending until the next run. */
  announce(call: BackendCall, agent: string): Promise<void>
  start(event: Of<'tool_start'>): Promise<void>
  update(event: Of<'tool_update'>): Promise<void>
  result(event: Of<'tool_result'>): Promise<void>
  /** Ends what did not end by itself. */
  close(): Promise<void>
  /** The id of the message with a call's result. */
  resultId(id: string): string
}

interface Call {
  readonly path: CallPath
  readonly name: string
  readonly agent: string
  readonly args: Json
}

export function toolWriter(options: {
  readonly context: RunContext
  readonly steps: StepWriter
  /** Results of the main agent's tools go here. */
  readonly shown: Message[]
}): ToolWriter {
  const { context, steps, shown } = options
  const calls = new Map<string, Call>()
  const idOf = (path: CallPath): string => callId(context.trace_id, path)

  async function begin(id: string, { path, name, agent, args }: Call): Promise<void> {
    const payload = { tool_name: name, kind: 'tool' as const, args, meta: { tool_call_id: id } }
    await context.emit({ type: 'tool_start', path, agent, payload })
  }

  async function end({ path, name, agent }: Call, status: 'cancelled' | 'pending_frontend'): Promise<void> {
    const payload = { tool_name: name, result: null, status }
    await context.emit({ type: 'tool_end', path, agent, payload })
  }

  return {
    resultId: (id) => idOf(calls.get(id)?.path ?? [id]),

    async announce({ id, name, args, place }, agent) {
      const call = { path: [...steps.top, id], name, agent, args }
      calls.set(id, call)
      if (place !== 'frontend') return
      await begin(id, call)
      await end(call, 'pending_frontend')
    },

    async start({ id }) {
      const call = calls.get(id)
      if (call !== undefined) await begin(id, call)
    },

    async update({ id, text, progress }) {
      const call = calls.get(id)
      if (call === undefined || (text === undefined && progress === undefined)) return
      const { path, agent } = call
      const said = { ...(text !== undefined && { text }), ...(progress !== undefined && { progress }) }
      await context.emit({ type: 'tool_update', path, agent, payload: { tool_name: call.name, ...said } })
    },

    async result({ id, content, error }) {
      const call = calls.get(id)
      if (call === undefined) return
      const { path, agent, name } = call
      const status = error === null ? 'success' : 'error'
      if (path.length === 1)
        shown.push({ id: idOf(path), role: 'tool', text: content, tool_call_id: id, status })
      if (error === null) {
        const payload = { tool_name: name, result: content, status: 'ok' as const }
        await context.emit({ type: 'tool_end', path, agent, payload })
        return
      }
      // The model reads `content` as the result and goes on; for the log the call has failed.
      const payload = { name, message: content, stack: '', class: 'TOOL_ERROR' }
      await context.emit({ type: 'error', path, agent, payload })
    },

    async close() {
      for (const call of calls.values()) if (context.isOpen(call.path)) await end(call, 'cancelled')
    },
  }
}
