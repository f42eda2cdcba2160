import { coerce, type Delta, isRecord, type JsonObject } from '@clewline/core'
import type { Update } from './payloads.ts'

/**
 * What code inside a graph may write to `config.writer` to be understood rather than just shown:
 * `{clewline: {text?, progress?: {done, total?}, delta?: {todos?, files?, state?}, warning?: {code, message, …facts}}}`.
 */
export interface WriterEvent {
  readonly update: Omit<Update, 'tool_name' | 'delta'>
  /** Not yet compared with what readers know. */
  readonly delta: unknown
  readonly warning: (JsonObject & { readonly code: string; readonly message: string }) | null
}

/** Any value that was written, or yielded by a tool: text is text, and what is not ours is data. */
export function writerEvent(value: unknown): WriterEvent {
  if (typeof value === 'string') return { update: { text: value }, delta: null, warning: null }
  const ours = isRecord(value) ? value['clewline'] : undefined
  if (!isRecord(ours)) return { update: { data: coerce(value) }, delta: null, warning: null }
  const { text, progress, delta, warning } = ours
  return {
    update: {
      ...(typeof text === 'string' && { text }),
      ...(isRecord(progress) && typeof progress['done'] === 'number' && { progress: progressOf(progress) }),
    },
    delta: delta ?? null,
    warning: warningOf(warning),
  }
}

function progressOf({ done, total }: Record<string, unknown>): { done: number; total?: number } {
  return { done: Number(done), ...(typeof total === 'number' && { total }) }
}

function warningOf(value: unknown): WriterEvent['warning'] {
  if (!isRecord(value)) return null
  const { code, message, ...facts } = value
  const known = coerce(facts)
  return {
    ...(isRecord(known) && known),
    code: typeof code === 'string' ? code : 'warning',
    message: typeof message === 'string' ? message : '',
  }
}

export function isEmpty(update: object, delta: Delta | null): boolean {
  return delta === null && Object.keys(update).length === 0
}
