import { isRecord, type ToolCall } from '@clewline/core'
import type { CallPath } from '@clewline/core/source'
import { beginCall } from './begin-call.ts'
import { type Call, graphAround, newCall, scopeFor, spend } from './calls.ts'
import { cancelCall, endCall, failCall } from './end-call.ts'
import { isAbort } from './failure.ts'
import { type AnswerFacts, modelEnd } from './model-end.ts'
import { type Asked, modelInput, modelParams } from './model-input.ts'
import type { ObservedRun } from './observed-run.ts'
import { callScope, modelPath, type Scope } from './scope.ts'
import { type LlmToken, type StreamedCalls, tokensOf } from './tokens-of.ts'

export interface ModelRun {
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  /** Compared by identity: the same object again is a retry. */
  readonly prompt: unknown
  readonly asked: Asked
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A model call whose answer is being streamed. */
interface Streaming {
  readonly call: Call
  readonly path: CallPath
  readonly agent: string
  readonly around: Scope
  readonly ordinal: number
  readonly prompt: unknown
  readonly toolCalls: StreamedCalls
  hasTokens: boolean
}

/** Model calls and their tokens. */
export function modelCalls(run: ObservedRun) {
  const { calls, facts } = run
  const streaming = new Map<string, Streaming>()

  async function start(model: ModelRun): Promise<void> {
    const around = scopeFor(calls, model.parentId)
    const { path, ordinal } = modelPath(around, model.prompt)
    const { agent } = around.call
    const name = modelName(model)
    const call = newCall({ path, kind: 'llm', name, agent, toolCallId: undefined }, around)
    calls.scopes.set(model.id, callScope(call, around))
    streaming.set(model.id, {
      call,
      path,
      agent,
      around,
      ordinal,
      prompt: model.prompt,
      toolCalls: new Map(),
      hasTokens: false,
    })
    const { node } = call
    const input = modelInput(model.asked)
    const payload = {
      model: name,
      params: modelParams(model.asked, model.metadata),
      ...(node !== undefined && { node }),
      ...(input !== undefined && { input }),
    }
    await beginCall(run, call, { type: 'llm_start', path, agent, payload })
  }

  /** The hot path: one look-up, one payload, no promise while there is room. */
  function stream(id: string, message: unknown, logprob?: number): void | Promise<void> {
    const at = streaming.get(id)
    if (at === undefined) return
    const tokens = tokensOf(message, at.toolCalls, logprob)
    if (tokens === null) return
    if (!at.hasTokens) return emitTokens(at, withMessageId(tokens, message, id))
    if (!('length' in tokens))
      return run.emit({ type: 'llm_token', path: at.path, agent: at.agent, payload: tokens })
    return emitTokens(at, tokens)
  }

  /** With the first token comes the id that the message will have in the state, so that readers show it once. */
  function withMessageId(
    tokens: LlmToken | readonly LlmToken[],
    message: unknown,
    id: string,
  ): readonly LlmToken[] {
    const [first, ...rest] = 'length' in tokens ? tokens : [tokens]
    const given = isRecord(message) ? message['id'] : undefined
    // LangChain gives a message without an id that of its run.
    const message_id = typeof given === 'string' && given !== '' ? given : `run-${id}`
    return first === undefined ? [] : [{ ...first, message_id }, ...rest]
  }

  async function emitTokens(at: Streaming, tokens: readonly LlmToken[]): Promise<void> {
    const { path, agent } = at
    at.hasTokens = true
    for (const payload of tokens) await run.emit({ type: 'llm_token', path, agent, payload })
  }

  async function end(id: string, message: unknown, fallback: AnswerFacts): Promise<void> {
    const at = take(id)
    if (at === undefined) return
    const payload = modelEnd(message, { id, ...fallback })
    // A model that cannot stream has its whole answer at its end: as one token, so that readers know one way only.
    if (!at.hasTokens && payload.message.text !== '')
      await run.emit({
        type: 'llm_token',
        path: at.path,
        agent: at.agent,
        payload: { text: payload.message.text, message_id: payload.message.id },
      })
    spend(at.call, payload.usage)
    const graph = graphAround(at.around.call)
    if (graph !== null) graph.toolCalls = payload.message.tool_calls
    await endCall(run, at.call, { type: 'llm_end', payload })
    for (const asked of payload.message.tool_calls)
      if (facts.frontend.has(asked.name)) await handOver(at.around, asked)
  }

  /** The client runs this tool: its call starts and ends here, and its result comes with the next run. */
  async function handOver(around: Scope, { id, name, args }: ToolCall): Promise<void> {
    const call = newCall(
      { path: [...around.prefix, id], kind: 'tool', name, agent: around.call.agent, toolCallId: id },
      around,
    )
    const { path, agent } = call
    const payload = { tool_name: name, kind: 'tool', args, meta: { tool_call_id: id } } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
    await endCall(run, call, {
      type: 'tool_end',
      payload: { tool_name: name, result: null, status: 'pending_frontend' },
    })
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const at = take(id)
    if (at === undefined || facts.isCancelled()) return
    if (isAbort(error)) return cancelCall(run, at.call)
    at.around.failed.set(at.prompt, at.ordinal)
    await failCall(run, at.call, error)
  }

  function take(id: string): Streaming | undefined {
    const at = streaming.get(id)
    streaming.delete(id)
    calls.scopes.delete(id)
    return at
  }

  return { start, stream, end, fail }
}

function modelName({ metadata, asked, name }: ModelRun): string {
  for (const candidate of [metadata['ls_model_name'], asked.params['model'], asked.params['model_name']])
    if (typeof candidate === 'string' && candidate !== '') return candidate
  return name
}
