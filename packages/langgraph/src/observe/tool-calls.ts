import { coerce, type Json, type JsonObject } from '@clewline/core'
import { beginCall, cancelCall, endCall, newCall } from './begin-call.ts'
import type { Call } from './call.ts'
import { completionOf } from './completion-of.ts'
import { failure, isAbort, isBubbleUp } from './failure.ts'
import { ask } from './graph-calls.ts'
import { type ObservedRun, scopeFor } from './observed-run.ts'
import { callScope, type Scope, toolPath } from './scope.ts'
import { sayDelta, sayUpdate } from './say-update.ts'
import { toolResult, updatesOf } from './tool-result.ts'

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
  async function start(tool: ToolRun): Promise<void> {
    const around = scopeFor(run, tool.parentId)
    const { name, toolCallId } = tool
    const args = argsOf(tool.input)
    const kind = run.isSubagent(name) ? 'subagent' : 'tool'
    const agent = kind === 'subagent' ? subagentOf(args, name) : around.call.agent
    const path = toolPath(around, name, toolCallId, (at) => run.wasOpenAt(at))
    const call = newCall({ path, kind, name, agent, toolCallId }, around)
    run.scopes.set(tool.id, callScope(call, around))
    const node = around.node === undefined ? {} : { node: around.node }
    const meta = toolCallId === undefined ? {} : { meta: { tool_call_id: toolCallId } }
    const payload = { tool_name: name, kind, args, ...node, ...meta } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
  }

  async function end(id: string, output: unknown): Promise<void> {
    const scope = take(id)
    if (scope === undefined) return
    const { call } = scope
    for (const update of updatesOf(output)) await sayDelta(run, scope, run.picture.announce(update, scope))
    const { result, failed } = toolResult(output, call.toolCallId)
    if (failed !== null) {
      const payload = { name: call.name, message: failed, stack: '', class: 'ToolError' }
      return endCall(run, call, { type: 'error', payload })
    }
    const payload = { tool_name: call.name, result: resultOf(call, result), status: 'ok' } as const
    return endCall(run, call, { type: 'tool_end', payload })
  }

  /** A sub-agent's result is the final state of its graph; one that ran no graph has its answer as a message. */
  function resultOf(call: Call, result: Json): Json {
    if (call.kind !== 'subagent') return result
    if (call.graph !== null) return completionOf(outputOf(call), call.usage)
    const content = typeof result === 'string' ? result : JSON.stringify(result)
    return completionOf({ messages: [{ role: 'assistant', content }] }, call.usage)
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const scope = take(id)
    if (scope === undefined) return
    ask(run, scope, error)
    if (isBubbleUp(error) || run.isCancelled()) return
    if (isAbort(error)) return cancelCall(run, scope.call)
    const payload = failure(scope.call.name, error, run.isFirst(error))
    await endCall(run, scope.call, { type: 'error', payload })
  }

  function take(id: string): Scope | undefined {
    const scope = run.scopes.get(id)
    run.scopes.delete(id)
    return scope
  }

  async function update(id: string, value: unknown): Promise<void> {
    const scope = run.scopes.get(id)
    if (scope !== undefined) await sayUpdate(run, scope, value)
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

/** Agents that hand out work name whom they hand it to in the arguments of the call. */
function subagentOf(args: Json, name: string): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return name
  const { subagent_type, subagent, agent } = args as JsonObject
  const named = subagent_type ?? subagent ?? agent
  return typeof named === 'string' && named !== '' ? named : name
}
