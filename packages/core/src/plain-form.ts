/** Characters of one value as JSON, at most: half of what a JavaScript string can hold. */
export const MAX_CHARACTERS = 2 ** 28

/** True for what an object literal or `JSON.parse` makes, also in another realm, unless it says how to be JSON. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  const isLiteral =
    prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
  return isLiteral && typeof Reflect.get(value, 'toJSON') !== 'function'
}

/**
 * One step from an object of a class towards JSON: what it stands for, with its fields as they are. The object itself
 * when its own fields are the best that can be said. May throw where the object does.
 */
export function plainForm(value: object): unknown {
  if (value instanceof Map) return mapForm(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return errorForm(value)
  if (value instanceof ArrayBuffer) return bytesForm(new Uint8Array(value))
  if (ArrayBuffer.isView(value))
    return bytesForm(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  if (value instanceof RegExp || value instanceof URLSearchParams) return String(value)
  if (value instanceof Promise) return '[promise]'
  if (isBoxed(value)) return value.valueOf()
  return isMessage(value) ? messageForm(value) : dumped(value)
}

function mapForm(map: ReadonlyMap<unknown, unknown>): unknown {
  for (const key of map.keys()) if (typeof key !== 'string') return [...map]
  return Object.fromEntries(map)
}

/** Without the stack: it names files of the server, and what is coerced is shown to clients. */
function errorForm(error: Error): object {
  const { name, message, cause } = error
  const { stack: _stack, ...fields } = readable(error)
  const form = Object.assign(fields, { name, message })
  return cause === undefined ? form : Object.assign(form, { cause })
}

/** Its own fields, without those that cannot be read. */
function readable(value: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    try {
      fields[key] = Reflect.get(value, key)
    } catch {
      fields[key] = '[unreadable]'
    }
  }
  return fields
}

function isBoxed(value: object): boolean {
  return /^\[object (String|Number|Boolean|BigInt|Symbol)\]$/.test(Object.prototype.toString.call(value))
}

/** Typed arrays that hold numbers, not bytes. */
export function isNumbers(value: object): value is readonly unknown[] {
  return ArrayBuffer.isView(value) && !isBytes(value)
}

const isBytes = (view: ArrayBufferView): boolean =>
  view instanceof Uint8Array || view instanceof Uint8ClampedArray || view instanceof DataView

/** Bytes are text when they are UTF-8, and a `data:` URL otherwise. */
function bytesForm(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // More than the bound on characters would only be encoded to be cut.
    const head = bytes.subarray(0, (MAX_CHARACTERS / 4) * 3)
    let binary = ''
    for (let i = 0; i < head.length; i += 8192) binary += String.fromCharCode(...head.subarray(i, i + 8192))
    const mark = head.length < bytes.length ? `…[cut: ${bytes.length - head.length} bytes]` : ''
    return `data:application/octet-stream;base64,${btoa(binary)}${mark}`
  }
}

function isMessage(value: object): value is { readonly content: unknown } {
  return 'content' in value && (isFunction(value, 'getType') || isFunction(value, '_getType'))
}

/** A LangChain message as Python's `model_dump` and the LangGraph API write it: `{type, content, id, …}`. */
function messageForm(message: object): object {
  const type: unknown = isFunction(message, 'getType') ? message.getType() : Reflect.get(message, 'type')
  const form: Record<string, unknown> = { type }
  for (const [key, field] of Object.entries(readable(message))) {
    if (key !== 'type' && !key.startsWith('lc_') && field !== undefined && !isEmpty(field)) form[key] = field
  }
  return form
}

const isEmpty = (field: unknown): boolean =>
  typeof field === 'object' && field !== null && Object.keys(field).length === 0

const DUMPS = ['toJSON', 'model_dump', 'to_dict', 'toDict', 'to_json'] as const

/** What the first of its methods that works says; a class may have several, and any may throw. */
function dumped(value: object): unknown {
  for (const name of DUMPS) {
    if (!isFunction(value, name)) continue
    try {
      const form = value[name]()
      if (form !== value) return name === 'to_json' && typeof form === 'string' ? JSON.parse(form) : form
    } catch {
      continue
    }
  }
  return value
}

function isFunction<Name extends string>(
  value: object,
  name: Name,
): value is object & Record<Name, () => unknown> {
  return typeof Reflect.get(value, name) === 'function'
}
