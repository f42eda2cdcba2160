import type { Message } from '../envelope.ts'
import type { Json } from '../json.ts'
import { messageOf } from '../message/message-of.ts'
import { callsBelow } from './children-of.ts'
import type { Call, PendingInterrupt, StreamedToolCall, View } from './view.ts'

/** A line of a conversation, in the order in which it is read. */
export type TranscriptItem =
  | { readonly type: 'user'; readonly key: string; readonly message: Message; readonly root: Call }
  /** What a model said. Its tool calls follow as items of their own. */
  | { readonly type: 'assistant'; readonly key: string; readonly call: Call }
  /** A tool or sub-agent, from the moment that the model begins to ask for it (`call` is null until it runs). */
  | {
      readonly type: 'tool'
      readonly key: string
      readonly asked: StreamedToolCall | null
      readonly call: Call | null
    }
  | { readonly type: 'interrupt'; readonly key: string; readonly interrupt: PendingInterrupt }
  | { readonly type: 'error'; readonly key: string; readonly call: Call }

/** The conversation of the whole thread, or what was said inside one call. Sub-agents are one item; sub-graphs and nodes are read through. */
export function transcript(view: View, within?: string): readonly TranscriptItem[] {
  const items: TranscriptItem[] = []
  const seen = new Set<string>()
  for (const id of within === undefined ? view.roots : [within]) {
    const call = view.calls.get(id)
    if (call === undefined) continue
    for (const [index, message] of inputMessages(call.input).entries()) {
      // A client that sends its whole history each time repeats messages; those with an id are shown once.
      if (message.role !== 'user' || (message.id !== '' && seen.has(message.id))) continue
      seen.add(message.id)
      items.push({ type: 'user', key: `${id}:${index}`, message, root: call })
    }
    walk(view, call, items)
    if (call.error !== undefined && !callsBelow(view.calls, call).some(({ error }) => error !== undefined)) {
      items.push({ type: 'error', key: `${id}:error`, call })
    }
  }
  for (const interrupt of view.interrupts) {
    if (within === undefined || isBelow(view, interrupt.call_id, within)) {
      items.push({ type: 'interrupt', key: interrupt.id, interrupt })
    }
  }
  return items
}

function walk(view: View, call: Call, items: TranscriptItem[]): void {
  const children = callsBelow(view.calls, call)
  const started = new Set(children.flatMap((child) => child.tool_call_id ?? []))
  const asked = new Map(children.flatMap((child) => child.tool_calls.map((one) => [one.id, one] as const)))
  for (const child of children) {
    if (child.kind === 'llm') {
      items.push({ type: 'assistant', key: child.id, call: child })
      for (const one of child.tool_calls) {
        if (!started.has(one.id))
          items.push({ type: 'tool', key: `${child.id}:${one.index}`, asked: one, call: null })
      }
    } else if (child.kind === 'subgraph' || child.kind === 'graph') {
      walk(view, child, items)
    } else {
      items.push({
        type: 'tool',
        key: child.id,
        asked: asked.get(child.tool_call_id ?? '') ?? null,
        call: child,
      })
    }
  }
}

function isBelow(view: View, id: string, ancestor: string): boolean {
  for (let at: string | null = id; at !== null; at = view.calls.get(at)?.parent_id ?? null) {
    if (at === ancestor) return true
  }
  return false
}

function inputMessages(input: Json): readonly Message[] {
  if (typeof input === 'string') return [{ id: '', role: 'user', text: input }]
  if (typeof input !== 'object' || input === null || !('messages' in input)) return []
  const { messages } = input
  const list: readonly Json[] = Array.isArray(messages) ? messages : [messages ?? null]
  return list.flatMap((message) =>
    typeof message === 'string' ? { id: '', role: 'user', text: message } : (messageOf(message) ?? []),
  )
}
