import { isRecord } from '@clewline/core'
import type { Failure } from './payloads.ts'

/** A failure of the call `name`. The stack is told once, at the deepest call: further out it is the same again. */
export function failure(name: string, error: unknown, isFirst: boolean): Failure {
  const said = errorOf(error)
  return { name, message: said.message, stack: isFirst ? said.stack : '', class: said.name }
}

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

function recursionMessage(text: string): string {
  const limit = /limit of (\d+)/.exec(text)?.[1] ?? ''
  return `The graph took ${limit} steps without reaching its end. If it needs more, raise config.recursion_limit of the run.`
}

/** Work that was stopped because something beside it failed, or because someone did not want it any more. */
export function isAbort(error: unknown): boolean {
  return isRecord(error) && (error['name'] === 'AbortError' || error['name'] === 'ModelAbortError')
}

/** LangGraph throws to pause, to hand a command to the parent graph and to drain; none of these is a failure. */
export function isBubbleUp(error: unknown): boolean {
  return isRecord(error) && error['is_bubble_up'] === true
}

/** The interrupts that a bubbling error carries. */
export function interruptsOf(error: unknown): readonly object[] {
  if (!isBubbleUp(error) || !isRecord(error) || !Array.isArray(error['interrupts'])) return []
  return error['interrupts'].filter(isRecord)
}
