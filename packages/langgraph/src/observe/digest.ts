import { createHash } from 'node:crypto'

const digests = new WeakMap<object, string>()

/**
 * A digest of a state's content. Memoised by identity, because states are changed by making new ones: a step costs
 * what it changed, not what the thread holds.
 */
export function digest(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return hash(`${typeof value}:${String(value)}`)
  const known = digests.get(value)
  if (known !== undefined) return known
  const made = depth < 3 ? ofParts(value, depth) : ofText(value)
  // The two upper levels are containers that live for one step only.
  if (depth > 1) digests.set(value, made)
  return made
}

function ofParts(value: object, depth: number): string {
  if (typeof Reflect.get(value, 'toJSON') === 'function') return ofText(value)
  const parts = Array.isArray(value)
    ? value.map((item) => digest(item, depth + 1))
    : Object.keys(value)
        .sort()
        .map((key) => `${key}=${digest(Reflect.get(value, key), depth + 1)}`)
  return hash(parts.join(','))
}

function ofText(value: object): string {
  try {
    return hash(JSON.stringify(value) ?? '')
  } catch {
    return hash(Object.prototype.toString.call(value))
  }
}

const hash = (text: string): string => createHash('sha1').update(text).digest('hex').slice(0, 16)
