import { coerce, isRecord, type Json } from '@clewline/core'
import { messageOf } from '@clewline/core/message'
import { recordValue } from '../record/record-value.ts'
import { subagentOf } from '../subagent-tools.ts'
import { beginCall } from './begin-call.ts'
import { type Call, graphAround, newCall, scopeFor, takeScope } from './calls.ts'
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
    const path = toolPath(around, name, toolCallId)
    const call = newCall({ path, kind, name, agent, toolCallId }, around)
    calls.scopes.set(id, callScope(call, around))
    if (toolCallId !== undefined) graphAround(call)?.begunTools.add(toolCallId)
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
    const { result, failed, raw } = toolResult(output, call)
    if (failed !== null) {
      const fields = isRecord(raw) ? { fields: raw } : {}
      const payload = { name: call.name, message: failed, stack: '', class: 'ToolError', ...fields }
      return endCall(run, call, { type: 'error', payload })
    }
    const whole = raw === undefined ? {} : { raw }
    if (call.kind === 'subagent') return completeCall(run, call, finalState(call, result), whole)
    const payload = { tool_name: call.name, result, status: 'ok', ...whole } as const
    return endCall(run, call, { type: 'tool_end', payload })
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

interface ToolResult {
  /** To show. */
  readonly result: Json
  /** The message, when the tool itself reports a failure. */
  readonly failed: string | null
  /** What was returned, whole, when `result` is not all of it. */
  readonly raw?: Json
}

function toolResult(output: unknown, call: Call): ToolResult {
  const message = toolMessage(output, call.toolCallId)
  if (message === null) {
    const whole = recordValue(output)
    return isCommand(output) ? { result: null, failed: null, raw: whole } : { result: whole, failed: null }
  }
  const { content, status } = message
  const result = coerce(content)
  const raw = recordValue(output)
  return {
    result,
    failed: status === 'error' ? (messageOf(message)?.text ?? '') : null,
    ...(!isPlainAnswer(raw, call) && { raw }),
  }
}

const PLAIN = new Set(['type', 'content', 'tool_call_id', 'name', 'status'])

/** The message that LangChain makes of a tool's text: `toolResultFrom` makes it of `result`. */
function isPlainAnswer(raw: Json, { kind, name, toolCallId }: Call): boolean {
  return (
    kind === 'tool' &&
    isRecord(raw) &&
    raw['type'] === 'tool' &&
    raw['tool_call_id'] === toolCallId &&
    raw['name'] === name &&
    raw['status'] === 'success' &&
    Object.keys(raw).every((field) => PLAIN.has(field))
  )
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
