import { characterStart } from './character-start.ts'
import type { Json } from './json.ts'
import { isNumbers, isPlain, MAX_CHARACTERS, plainForm } from './plain-form.ts'

/**
 * How much of a value is kept. What is beyond is replaced by a mark that says how much was cut. By default no text is
 * cut: the log refuses what is too large for it. The bounds are for objects that never end.
 */
export interface CoerceLimits {
  /** Levels of nesting. At most 500. */
  readonly depth: number
  /** Items of one array, keys of one object. */
  readonly breadth: number
  /** Items and fields in all. */
  readonly count: number
  /** Characters of one string. */
  readonly text: number
  /** Characters of the whole value as JSON, about. */
  readonly total: number
  /** The JSON of objects that the caller has a form for; undefined for others. Taken as it is, whatever its size. */
  readonly known: (value: object) => Json | undefined
}

const DEFAULTS: CoerceLimits = {
  depth: 64,
  breadth: 250_000,
  count: 250_000,
  text: Infinity,
  // Half of what a JavaScript string can hold: memory is bounded also against a getter that makes up texts.
  total: MAX_CHARACTERS,
  known: () => undefined,
}

/** No mark is longer than this. */
const MARK = 64

/** A name is no content: it is in its place each time, never a part. */
const MAX_KEY = 1_048_576

/**
 * Any value as JSON: a deep copy, so that a later change of the value does not change what was said. Idempotent; never
 * throws, never follows a cycle, drops functions.
 */
export function coerce(value: unknown, limits?: Partial<CoerceLimits>): Json {
  if (typeof value === 'boolean' || value === null) return value
  const bounds = limits === undefined ? DEFAULTS : boundsOf(limits)
  try {
    const whole = createWalk(bounds)
    const json = whole.visit(value, 0)
    if (!whole.isOver()) return json ?? null
    // Too big: again with room kept for one mark per level, so that the result itself is within the bounds.
    const total = bounds.total - reserveOf(bounds.depth)
    const count = bounds.count - marksOf(bounds.depth)
    return createWalk({ ...bounds, total, count }).visit(value, 0) ?? null
  } catch {
    // Only when the stack or the memory is at its end: everything a value can do is caught where it is read.
    return '[unreadable]'
  }
}

function boundsOf(limits: Partial<CoerceLimits>): CoerceLimits {
  const depth = Math.min(limits.depth ?? DEFAULTS.depth, 500)
  return {
    depth,
    breadth: Math.max(limits.breadth ?? DEFAULTS.breadth, 1),
    count: Math.max(limits.count ?? DEFAULTS.count, 2 * marksOf(depth)),
    text: Math.max(limits.text ?? DEFAULTS.text, MARK),
    total: Math.max(limits.total ?? DEFAULTS.total, 2 * reserveOf(depth)),
    known: limits.known ?? DEFAULTS.known,
  }
}

const marksOf = (depth: number): number => depth + 4
const reserveOf = (depth: number): number => marksOf(depth) * MARK

interface Walk {
  /** Undefined for what JSON leaves out: functions and undefined. */
  visit(value: unknown, depth: number): Json | undefined
  isOver(): boolean
}

function createWalk(bounds: CoerceLimits): Walk {
  const ancestors: object[] = []
  const longestKey = Math.min(bounds.text, MAX_KEY)
  let left = bounds.total
  let visits = bounds.count
  let isCut = false

  function visit(value: unknown, depth: number): Json | undefined {
    if (typeof value === 'string') return textOf(value)
    if (typeof value === 'object' && value !== null) return guarded(value, depth)
    left -= 8
    // JSON has no -0, NaN or Infinity.
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : textOf(String(value))
    if (typeof value === 'bigint' || typeof value === 'symbol') return textOf(String(value))
    return value === null || typeof value === 'boolean' ? value : undefined
  }

  function guarded(value: object, depth: number): Json | undefined {
    const level = ancestors.length
    try {
      if (ancestors.includes(value)) return textOf('[cycle]')
      if (depth >= bounds.depth) return textOf('[cut: too deep]')
      ancestors.push(value)
      const json = objectOf(value, depth)
      ancestors.pop()
      return json
    } catch (error) {
      ancestors.length = level
      return unreadable(error)
    }
  }

  function objectOf(value: object, depth: number): Json | undefined {
    if (Array.isArray(value) || isNumbers(value)) return listOf(value, depth)
    const known = bounds.known(value)
    if (known !== undefined) return known
    if (isPlain(value)) return fieldsOf(value, depth, true)
    const form = plainForm(value)
    return form === value ? fieldsOf(value, depth, false) : visit(form, depth + 1)
  }

  function listOf(list: readonly unknown[], depth: number): Json {
    left -= 2
    const length = list.length
    const fit = length <= bounds.breadth ? length : bounds.breadth - 1
    const out: Json[] = []
    for (let i = 0; i < fit && hasRoom(); i++) {
      left -= 1
      visits -= 1
      out.push(read(list, i, depth) ?? null)
    }
    if (out.length < length) {
      visits -= 1
      out.push(textOf(`[cut: ${length - out.length} items]`))
    }
    return out
  }

  function fieldsOf(value: object, depth: number, isAll: boolean): Json {
    left -= 2
    const keys = Object.keys(value)
    const fit = keys.length <= bounds.breadth ? keys.length : bounds.breadth - 1
    const out: Record<string, Json> = {}
    let done = 0
    for (; done < fit && hasRoom(keys[done]!.length); done++) {
      const key = keys[done]!
      // A copy under `__proto__` would set the prototype instead of a field.
      if (key === '__proto__' || (!isAll && key.startsWith('_'))) continue
      left -= key.length + 4
      visits -= 1
      const json = read(value, key, depth)
      if (json !== undefined) out[key.length > longestKey ? cut(key, longestKey) : key] = json
    }
    if (done < keys.length) {
      left -= 9
      visits -= 1
      out['[cut]'] = textOf(`${keys.length - done} keys`)
    }
    return out
  }

  function read(from: object, key: string | number, depth: number): Json | undefined {
    let value: unknown
    try {
      value = Reflect.get(from, key)
    } catch (error) {
      return unreadable(error)
    }
    return visit(value, depth + 1)
  }

  function hasRoom(need = 0): boolean {
    if (left > need && visits > 0) return true
    isCut = true
    return false
  }

  function textOf(text: string): string {
    let most = bounds.text
    if (text.length > left && text.length > MARK) {
      isCut = true
      most = Math.min(most, Math.max(left, MARK))
    }
    const kept = text.length > most ? cut(text, most) : text
    left -= kept.length + 2
    return kept
  }

  function unreadable(error: unknown): string {
    return textOf(`[unreadable: ${reasonOf(error).slice(0, MARK - 16)}]`)
  }

  return { visit, isOver: () => isCut || left < 0 || visits < 0 }
}

/** At most `most` characters, the last of them the mark. */
function cut(text: string, most: number): string {
  const end = characterStart(text, most - 40)
  // `join` copies. A slice would keep the whole text alive for as long as its head.
  return [text.slice(0, end), '…[cut: ', text.length - end, ' characters]'].join('')
}

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message.slice(0, MARK) : String(error)
  } catch {
    return 'no reason given'
  }
}
