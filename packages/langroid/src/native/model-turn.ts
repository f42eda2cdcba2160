import { isRecord, type JsonObject, type Usage } from '@clewline/core'
import { z } from 'zod'
import type { LLMMessage } from '../llm-message.ts'
import { TEXT_CALL } from './call-ids.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { parseJsonObject } from './extract-json.ts'
import { findTextTools, readTextTool, type ToolBox } from './find-text-tools.ts'
import { holdBack } from './hold-back.ts'
import type { Journal } from './journal.ts'
import type { LanguageModel, ModelRequest, OutputFormat, ToolSpec } from './language-model.ts'
import { type ModelQuestion, modelQuestion } from './model-question.ts'
import { validationError } from './tool-message.ts'

/** What an observer of a model call sees. Text is what a person may read: tools written as text are not in it. */
type TurnEvent =
  | { readonly type: 'start'; readonly model: string; readonly question: ModelQuestion }
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'tool_name'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool_args'; readonly index: number; readonly delta: string }
  | {
      readonly type: 'end'
      readonly text: string
      readonly tools: readonly ToolUse[]
      readonly usage: Usage
      readonly finish_reason: string
    }

export type TurnObserver = (event: TurnEvent) => void | Promise<void>

export interface ModelTurn {
  /** Whose model it is. */
  readonly agent: string
  readonly model: LanguageModel
  readonly messages: readonly LLMMessage[]
  readonly specs: readonly ToolSpec[]
  readonly output: OutputFormat | undefined
  readonly box: ToolBox
  readonly format: 'api' | 'text'
  /** Makes a call id that the thread has not seen, from the model's own where it has one. */
  readonly uniqueId: (id: string) => string
  readonly signal: AbortSignal
  readonly observe: TurnObserver
  readonly journal: Journal
}

/** What the model said, before anything was made of it: what a journal keeps. */
const Heard = z.object({
  raw: z.string(),
  text: z.string(),
  reasoning: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), json: z.string() })),
  /** Ids for the tools in its text. */
  ids: z.array(z.string()),
  usage: z.custom<Usage>(isRecord),
  finish_reason: z.string(),
})

/** Asks the model once. Returns what it said, as a document and as the message that goes into the history. */
export async function modelTurn(turn: ModelTurn): Promise<{ document: ChatDocument; message: LLMMessage }> {
  const { box, observe, journal } = turn
  const isText = turn.format === 'text'
  if (journal.isPast) await observe(startOf(turn))
  const heard = Heard.parse(await journal.once(`model of ${turn.agent}`, async () => await listen(turn)))
  const { raw, text, reasoning, calls, usage, finish_reason } = heard
  const ids = heard.ids.values()
  const tools = isText
    ? findTextTools(raw, box, () => ids.next().value ?? turn.uniqueId(TEXT_CALL))
    : calls.map((call) => apiTool(call, box))
  await observe({ type: 'end', text, tools, usage, finish_reason })

  const document = chatDocument({
    content: isText ? raw : text,
    ...(isText && { visible: text }),
    sender: 'LLM',
    tools,
    ...(reasoning !== '' && { reasoning }),
  })
  const toolCalls = calls.map(({ id, name, json }) => ({ id, name, arguments: json === '' ? '{}' : json }))
  const message: LLMMessage =
    toolCalls.length === 0
      ? { role: 'assistant', content: raw }
      : { role: 'assistant', content: raw === '' ? null : raw, tool_calls: toolCalls }
  return { document, message }
}

const requestOf = (turn: ModelTurn): ModelRequest => ({
  messages: turn.messages,
  tools: turn.format === 'api' ? turn.specs : [],
  ...(turn.output !== undefined && { output: turn.output }),
  signal: turn.signal,
})

const startOf = (turn: ModelTurn): TurnEvent => ({
  type: 'start',
  model: turn.model.name,
  question: modelQuestion(turn.model, requestOf(turn)),
})

async function listen(turn: ModelTurn): Promise<JsonObject> {
  const { box, observe } = turn
  const filter =
    turn.format === 'text' ? holdBack((json) => readTextTool(json, box) !== undefined) : undefined
  const calls = new Map<number, { id: string; name: string; json: string }>()
  let raw = ''
  let text = ''
  let reasoning = ''
  let end: { usage: Usage; finish_reason: string } = { usage: {}, finish_reason: 'stop' }
  const show = async (delta: string): Promise<void> => {
    if (delta === '') return
    text += delta
    await observe({ type: 'text', delta })
  }

  await observe(startOf(turn))
  for await (const event of turn.model.stream(requestOf(turn))) {
    switch (event.type) {
      case 'text':
        raw += event.delta
        await show(filter === undefined ? event.delta : filter.push(event.delta))
        break
      case 'reasoning':
        reasoning += event.delta
        await observe(event)
        break
      case 'tool_name': {
        const call = {
          id: turn.uniqueId(event.id),
          name: event.name.replace(/^functions\./, ''),
          json: '',
        }
        calls.set(event.index, call)
        await observe({ type: 'tool_name', index: event.index, id: call.id, name: call.name })
        break
      }
      case 'tool_args': {
        const call = calls.get(event.index)
        if (call === undefined) break
        call.json += event.delta
        await observe(event)
        break
      }
      case 'end':
        end = event
        break
    }
  }
  turn.signal.throwIfAborted()
  if (filter !== undefined) await show(filter.end())

  const written = filter === undefined ? [] : findTextTools(raw, box, () => turn.uniqueId(TEXT_CALL))
  for (const [index, use] of written.entries()) {
    await observe({ type: 'tool_name', index, id: use.id, name: use.name })
    await observe({ type: 'tool_args', index, delta: JSON.stringify(use.args) })
  }
  const { usage, finish_reason } = end
  const ids = written.map((use) => use.id)
  return { raw, text, reasoning, calls: [...calls.values()], ids, usage, finish_reason }
}

function apiTool(call: { id: string; name: string; json: string }, box: ToolBox): ToolUse {
  const args = call.json.trim() === '' ? {} : parseJsonObject(call.json)
  const tool = box.known.get(call.name)
  const known = { id: call.id, name: call.name, via: 'api' as const }
  if (args === undefined) {
    const error = validationError(call.name, [`the arguments are not a JSON object: ${call.json}`])
    return { ...known, args: {}, error }
  }
  const parsed = tool?.parse(args)
  return parsed === undefined || parsed.ok
    ? { ...known, args }
    : { ...known, args, error: validationError(call.name, parsed.errors) }
}
