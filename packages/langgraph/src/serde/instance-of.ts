import { isRecord } from '@clewline/core'
import { load } from '@langchain/core/load'
import { builtIn } from './built-in.ts'
import { unescapeKeys } from './escaped-key.ts'

interface InstanceRecord {
  readonly lc: 1
  readonly type: 'constructor'
  readonly id: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

/** A LangChain object as its own `toJSON` writes it. */
export function isInstance(
  value: Record<string, unknown>,
): value is Record<string, unknown> & InstanceRecord {
  return (
    value['lc'] === 1 &&
    value['type'] === 'constructor' &&
    Array.isArray(value['id']) &&
    isRecord(value['kwargs'])
  )
}

/** LangChain's own mark (core 1.2): what is inside is data, and `load` returns it without a look. */
const DATA = '__lc_escaped__'

/** Far beyond what a request may be nested, so that no message of a client is too deep to be read again. */
const MAX_DEPTH = 1_000

/** The object that a record stands for; the record as plain data when its class is not known here. */
export async function instanceOf(record: InstanceRecord): Promise<unknown> {
  try {
    return await load<unknown>(JSON.stringify(forLoad(record).value), { maxDepth: MAX_DEPTH })
  } catch {
    return asData(record)
  }
}

interface Loadable {
  readonly value: unknown
  /** Whether there is anything in it to be constructed. */
  readonly isLive: boolean
}

/**
 * What `load` is to see: each part without an object in it is marked as data. Without the mark, `load` (core 1.2.13)
 * looks at each of its values with a promise and a copy of its context.
 */
function forLoad(value: unknown): Loadable {
  if (Array.isArray(value)) {
    const items = value.map(forLoad)
    return items.some(({ isLive }) => isLive)
      ? { value: items.map(marked), isLive: true }
      : { value: items.map((item) => item.value), isLive: false }
  }
  if (!isRecord(value)) return { value, isLive: false }
  if (isInstance(value)) {
    const kwargs = Object.entries(value.kwargs).map(([key, item]) => [key, marked(forLoad(item))])
    return { value: { ...value, kwargs: Object.fromEntries(kwargs) }, isLive: true }
  }
  const data = dataIn(value)
  if (data !== value) return { value: data, isLive: false }
  const fields = Object.entries(value).map(([key, item]): [string, Loadable] => [key, forLoad(item)])
  const isLive = fields.some(([, item]) => item.isLive)
  const kept = fields.map(([key, item]) => [key, isLive ? marked(item) : item.value])
  return { value: unescapeKeys(Object.fromEntries(kept)), isLive }
}

function marked({ value, isLive }: Loadable): unknown {
  return isLive || typeof value !== 'object' || value === null ? value : { [DATA]: value }
}

/** What a mark or a record of LangGraph's holds; the object itself if it is neither. */
function dataIn(value: Record<string, unknown>): unknown {
  if (DATA in value && Object.keys(value).length === 1) return asData(value[DATA])
  if (value['lc'] !== 2) return value
  return value['type'] === 'undefined' ? undefined : (builtIn(value) ?? asData(value))
}

function asData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asData)
  if (!isRecord(value)) return value
  const fields = Object.entries(value).map(([key, item]) => [key, asData(item)])
  return unescapeKeys(Object.fromEntries(fields))
}
