import { isRecord } from '@clewline/core'

/** What a handler answers. A failed result takes back what the handler wrote to the session. */
export interface ToolResult<V> {
  readonly success: boolean
  readonly message: string
  readonly value: V | null
  /** The model sees only the message; events still carry the value. */
  readonly excludeValueFromContext?: boolean
}

/** Success, with a value for the model and for the events. */
export function ok<V>(
  value: V,
  message = '',
  options: { excludeValueFromContext?: boolean } = {},
): ToolResult<V> {
  return { success: true, message, value, ...options }
}

/** What a handler may return: a result, the bare value of one that succeeded, or nothing. */
export type ToolAnswer<V> = ToolResult<V> | V | void

/** The result that a handler means: a bare value is a success, and nothing is one that says OK. */
export function resultOf<V>(answer: ToolAnswer<V>): ToolResult<V> {
  if (isResult(answer)) return answer
  return answer === undefined || answer === null ? { success: true, message: 'OK', value: null } : ok(answer)
}

function isResult<V>(answer: ToolAnswer<V>): answer is ToolResult<V> {
  return isRecord(answer) && typeof answer['success'] === 'boolean' && typeof answer['message'] === 'string'
}

/** Failure that the model can read and react to. */
export function fail(message: string): ToolResult<never> {
  return { success: false, message, value: null }
}

/** The text the model reads: the message, a blank line, the value. */
export function renderToolResult(result: ToolResult<unknown>, render?: (value: unknown) => string): string {
  const value = result.excludeValueFromContext === true ? '' : renderValue(result.value, render)
  return [result.message, value].filter((part) => part !== '').join('\n\n')
}

/** JSON without nulls, as compact as a model needs; text stays text. */
export function renderValue(value: unknown, render?: (value: unknown) => string): string {
  if (value === null || value === undefined) return ''
  const custom = render === undefined ? undefined : attempt(() => render(value))
  if (custom !== undefined) return custom
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (typeof value === 'bigint') return value.toString()
  return attempt(() => JSON.stringify(value, withoutNull)) ?? `[${typeof value}]`
}

function withoutNull(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value === null && !Array.isArray(this) ? undefined : value
}

/** A renderer that throws must not hide a result that succeeded. */
function attempt(render: () => string | undefined): string | undefined {
  try {
    return render()
  } catch {
    return undefined
  }
}
