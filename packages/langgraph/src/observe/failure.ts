import { coerce, isRecord, type JsonObject } from '@clewline/core'

/** Whatever was thrown, as an error with words. */
export function errorOf(error: unknown): { name: string; message: string; stack: string } {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const messages = error.errors.map((one) => errorOf(one).message)
    return { name: error.name, message: messages.join('; '), stack: error.stack ?? '' }
  }
  if (isRecord(error)) {
    const { name, message, stack, lc_error_code: code } = error
    const text = typeof message === 'string' && message !== '' ? message : 'It gave no reason.'
    return {
      name: typeof name === 'string' && name !== '' ? name : 'Error',
      message: code === 'GRAPH_RECURSION_LIMIT' ? recursionMessage(text) : text,
      stack: typeof stack === 'string' ? stack : '',
    }
  }
  return { name: 'Error', message: String(error), stack: '' }
}

/** An error's own fields: a status, a code, what the provider said. Null when it has none. */
export function errorFields(error: unknown): JsonObject | null {
  if (!(error instanceof Error)) return null
  const own = Object.entries(error).filter(([name]) => !SAID.has(name) && !name.startsWith('lc_'))
  const fields = coerce(Object.fromEntries(own))
  return isRecord(fields) && Object.keys(fields).length > 0 ? fields : null
}

const SAID = new Set(['name', 'message', 'stack', 'pregelTaskId'])

function recursionMessage(text: string): string {
  const limit = /limit of (\d+)/.exec(text)?.[1] ?? ''
  return `The graph took ${limit} steps without reaching its end. If it needs more, raise config.recursion_limit of the run.`
}

/** Aborted: the work was stopped because something beside it failed, or because it was cancelled. */
export function isAbort(error: unknown): boolean {
  return isRecord(error) && (error['name'] === 'AbortError' || error['name'] === 'ModelAbortError')
}

/** Control flow: LangGraph throws to interrupt, to hand a command to the parent graph and to drain. */
export function isBubbleUp(error: unknown): boolean {
  return isRecord(error) && error['is_bubble_up'] === true
}

/** The interrupts that a bubbling error carries. */
export function interruptsOf(error: unknown): readonly object[] {
  if (!isBubbleUp(error) || !isRecord(error) || !Array.isArray(error['interrupts'])) return []
  return error['interrupts'].filter(isRecord)
}
