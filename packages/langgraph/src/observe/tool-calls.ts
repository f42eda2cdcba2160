import { coerce, isRecord, type Json } from '@clewline/core'
import { messageOf } from '@clewline/core/message'
import { subagentOf } from '../subagent-tools.ts'
import { beginCall } from './begin-call.ts'
import { type Call, newCall, scopeFor, takeScope } from './calls.ts'
import { emitDelta, emitWritten } from './emit-update.ts'
import { cancelCall, completeCall, endCall, failCall } from './end-call.ts'
import { interruptsOf, isAbort, isBubbleUp } from './failure.ts'
import { fieldsOf } from './model-end.ts'
import type { ObservedRun } from './observed-run.ts'
import { callScope, toolPath } from './scope.ts'

export interface ToolRun {
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  /** JSON text, or the text itself for a tool that takes a string. */
  readonly input: string
  readonly toolCallId: string | undefined
}

/** Tools, and the sub-agents that `task` tools are. */
export function toolCalls(run: ObservedRun, outputOf: (call: Call) => unknown) {
  const { calls, facts } = run

  async function start({ id, parentId, name, input, toolCallId }: ToolRun): Promise<void> {
    const around = scopeFor(calls, parentId)
    const args = argsOf(input)
    const kind = facts.isSubagent(name) ? 'subagent' : 'tool'
    const agent = kind === 'subagent' ? subagentOf(args, name) : around.call.agent
    const path = toolPath(around, name, toolCallId, facts.wasOpen)
    const call = newCall({ path, kind, name, agent, toolCallId }, around)
    calls.scopes.set(id, callScope(call, around))
    const payload = {
      tool_name: name,
      kind,
      args,
      ...(call.node !== undefined && { node: call.node }),
      ...(toolCallId !== undefined && { meta: { tool_call_id: toolCallId } }),
    } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
  }

  async function end(id: string, output: unknown): Promise<void> {
    const scope = takeScope(calls, id)
    if (scope === undefined) return
    const { call } = scope
    for (const update of updatesOf(output)) await emitDelta(run, call, run.mirror.diffChange(update, scope))
    const { result, failed } = toolResult(output, call.toolCallId)
    if (failed !== null) {
      const payload = { name: call.name, message: failed, stack: '', class: 'ToolError' }
      return endCall(run, call, { type: 'error', payload })
    }
    if (call.kind === 'subagent') return completeCall(run, call, finalState(call, result))
    return endCall(run, call, { type: 'tool_end', payload: { tool_name: call.name, result, status: 'ok' } })
  }

  /** Of a sub-agent that ran a graph, the graph's; one that ran none has its answer as a message. */
  function finalState(call: Call, result: Json): unknown {
    if (call.graph !== null) return outputOf(call)
    const content = typeof result === 'string' ? result : JSON.stringify(result)
    return { messages: [{ role: 'assistant', content }] }
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const scope = takeScope(calls, id)
    if (scope === undefined) return
    facts.noteAsker(interruptsOf(error), scope)
    if (isBubbleUp(error) || facts.isCancelled()) return
    if (isAbort(error)) return cancelCall(run, scope.call)
    await failCall(run, scope.call, error)
  }

  async function update(id: string, value: unknown): Promise<void> {
    const scope = calls.scopes.get(id)
    if (scope !== undefined) await emitWritten(run, scope, value)
  }

  return { start, end, fail, update }
}

function argsOf(input: string): Json {
  try {
    return coerce(JSON.parse(input))
  } catch {
    return { input: coerce(input) }
  }
}

/** What a tool returned: the result to show, and the message when the tool itself reports a failure. */
function toolResult(
  output: unknown,
  toolCallId: string | undefined,
): { result: Json; failed: string | null } {
  const message = toolMessage(output, toolCallId)
  if (message === null) return { result: isCommand(output) ? null : coerce(output), failed: null }
  const { content, status } = message
  const result = coerce(content)
  return { result, failed: status === 'error' ? (messageOf(message)?.text ?? '') : null }
}

function toolMessage(output: unknown, id: string | undefined): Record<string, unknown> | null {
  if (Array.isArray(output)) {
    for (const item of output) {
      const message = toolMessage(item, id)
      if (message !== null) return message
    }
    return null
  }
  if (!isRecord(output)) return null
  const fields = fieldsOf(output)
  if (typeof fields['tool_call_id'] === 'string' && 'content' in fields) return fields
  const messages = updateOf(output)?.['messages']
  if (!Array.isArray(messages)) return null
  return toolMessage(
    messages.find((one) => isRecord(one) && one['tool_call_id'] === id) ?? messages.at(-1),
    id,
  )
}

/** Changes of plan and files in the `Command`s that a tool returned; other channels are known only once reduced. */
function updatesOf(output: unknown): readonly { todos?: unknown; files?: unknown }[] {
  return (Array.isArray(output) ? output : [output]).flatMap((item: unknown) => {
    const update = updateOf(item)
    return update === null ? [] : [{ todos: update['todos'], files: update['files'] }]
  })
}

function updateOf(output: unknown): Record<string, unknown> | null {
  if (!isCommand(output) || !isRecord(output)) return null
  const { update } = output
  if (Array.isArray(update))
    return Object.fromEntries(update.filter((pair) => Array.isArray(pair) && pair.length === 2))
  return isRecord(update) ? update : null
}

function isCommand(value: unknown): boolean {
  return isRecord(value) && value['lg_name'] === 'Command'
}
