import { isDeltaSnapshot } from '@langchain/langgraph-checkpoint'
import { escapeKeys } from './escaped-key.ts'

/** A value as JSON in LangGraph's format, with plain data escaped that looks like a record of that format. */
export function dumpState(value: unknown): string {
  try {
    return JSON.stringify(value, recordOf)
  } catch (error) {
    // A cycle. (Only then: looking for one costs more than the rest.)
    if (error instanceof TypeError && /circular/i.test(error.message)) return JSON.stringify(value, acyclic())
    throw error
  }
}

/** A replacer, for which `this` is the holder: only there is the value as it was before its `toJSON`. */
function recordOf(this: unknown, key: string, value: unknown): unknown {
  if (value === undefined) return { lc: 2, type: 'undefined' }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const original: unknown = Reflect.get(Object(this), key)
  // What an object says of itself: LangChain's classes escape what they hold. Parsed JSON has no functions.
  if (
    typeof original === 'object' &&
    original !== null &&
    'toJSON' in original &&
    typeof original.toJSON === 'function'
  ) {
    return isSend(value) ? sendOf(value) : value
  }
  if (isDeltaSnapshot(value)) return { lc: 2, type: 'delta_snapshot', value: value.value }
  if (value instanceof Set || value instanceof Map) return built(value.constructor.name, [[...value]])
  if (value instanceof RegExp) return built('RegExp', [value.source, value.flags])
  if (value instanceof Error) return built('Error', [value.message])
  if (value instanceof Uint8Array) return built('Uint8Array', [[...value]], 'from')
  return escapeKeys(value)
}

function built(name: string, args: readonly unknown[], method: string | null = null): object {
  return { lc: 2, type: 'constructor', id: [name], method, args, kwargs: {} }
}

interface Send {
  readonly node: unknown
  readonly args: unknown
  readonly timeout?: unknown
}

/** By its mark, as LangGraph does: a second copy of the package in node_modules has another class. */
function isSend(value: object): value is Send {
  return 'lg_name' in value && value.lg_name === 'Send' && 'node' in value && 'args' in value
}

function sendOf({ node, args, timeout }: Send): Send {
  return { node, args, ...(timeout === undefined ? {} : { timeout }) }
}

function acyclic(): (this: unknown, key: string, value: unknown) => unknown {
  // What is being written: each value with its record, which is the holder of what comes next.
  const open: { readonly value: unknown; readonly record: object }[] = []
  return function (key, value) {
    while (open.length > 0 && open.at(-1)?.record !== this) open.pop()
    const record = recordOf.call(this, key, value)
    if (typeof record !== 'object' || record === null) return record
    if (open.some((ancestor) => ancestor.value === value)) return '[Circular]'
    open.push({ value, record })
    return record
  }
}
