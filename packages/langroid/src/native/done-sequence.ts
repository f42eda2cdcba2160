import { ClewlineError } from '@clewline/core'
import type { ChatDocument, Entity } from './chat-document.ts'

/** One event of a sequence that ends a task. */
export type SequenceEvent =
  | { readonly type: 'tool'; readonly name?: string }
  | { readonly type: 'agent' | 'llm' | 'user' | 'none' }
  | { readonly type: 'content'; readonly pattern: RegExp }

/** Reads Langroid's short form: `"T, A"`, `"T[search], A, L"`, `"C[quit|exit]"`. */
export function parseDoneSequence(text: string): readonly SequenceEvent[] {
  const parts = text.match(/[^,[]+(?:\[[^\]]*\])?/g) ?? []
  const events = parts.map((part): SequenceEvent => {
    const [, code, argument] = /^\s*([A-Za-z_]\w*)(?:\[([^\]]*)\])?\s*$/.exec(part) ?? []
    switch (code ?? '') {
      case 'T':
        return argument === undefined ? { type: 'tool' } : { type: 'tool', name: argument.trim() }
      case 'A':
        return { type: 'agent' }
      case 'L':
        return { type: 'llm' }
      case 'U':
        return { type: 'user' }
      case 'N':
        return { type: 'none' }
      case 'C':
        if (argument !== undefined) return { type: 'content', pattern: new RegExp(argument, 'i') }
        break
      default:
    }
    throw new ClewlineError('bad-config', `"${part.trim()}" is no event of a done sequence.`, {
      hint: 'Use T, T[tool_name], A, L, U, N or C[regex], separated by commas.',
    })
  })
  if (events.length > 0) return events
  throw new ClewlineError('bad-config', 'A done sequence needs at least one event.', {
    hint: 'For example "T, A": a tool call, then the result of its handler.',
  })
}

/** What was said, and the tools in it that the task's agent knows. */
export interface Said {
  readonly document: ChatDocument
  readonly tools: readonly string[]
}

/**
 * True when the newest documents are exactly the sequence. `newest`: who said the last of them; a sub-task counts as the
 * entity in whose name it speaks.
 */
export function endsWithSequence(
  chain: readonly Said[],
  sequence: readonly SequenceEvent[],
  newest?: Entity | 'task',
): boolean {
  if (chain.length < sequence.length) return false
  const tail = chain.slice(-sequence.length)
  return sequence.every((expected, i) =>
    isEvent(
      tail[i]!,
      expected,
      i === tail.length - 1 && newest !== undefined ? newest : tail[i]!.document.sender,
    ),
  )
}

function isEvent({ document, tools }: Said, expected: SequenceEvent, responder: Entity | 'task'): boolean {
  if (expected.type === 'content') return expected.pattern.test(document.content)
  const speaker = responder === 'task' ? document.sender : responder
  const isTool = tools.length > 0 && responder === 'LLM'
  switch (expected.type) {
    case 'tool':
      return isTool && (expected.name === undefined || (tools.length === 1 && tools[0] === expected.name))
    case 'agent':
      return speaker === 'Agent'
    case 'llm':
      return speaker === 'LLM' && !isTool
    case 'user':
      return speaker === 'User'
    case 'none':
      return document.content === '' && tools.length === 0
  }
}
