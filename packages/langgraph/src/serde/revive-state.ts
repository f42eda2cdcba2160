import { setImmediate } from 'node:timers/promises'
import { isRecord } from '@clewline/core'
import { DeltaSnapshot } from '@langchain/langgraph-checkpoint'
import { builtIn } from './built-in.ts'
import { unescapeKeys } from './escaped-key.ts'
import { instanceOf, isInstance } from './instance-of.ts'

/** Others get their turn after so long: a state may hold thousands of messages. */
const TURN_MS = 10

/** The inverse of `dumpState`. Throws only for what is not JSON. */
export async function reviveState(text: string): Promise<unknown> {
  const root: { value: unknown } = { value: JSON.parse(text) }
  // Innermost first: what is inside a Map is there before the Map is made.
  const later: (() => unknown)[] = []
  visit(root, 'value', later)
  let since = performance.now()
  for (const revive of later) {
    await revive()
    if (performance.now() - since < TURN_MS) continue
    await setImmediate()
    since = performance.now()
  }
  return root.value
}

/** Replaces what the holder has under the key, at once if nothing in it has to be loaded first. */
function visit(holder: object, key: string, later: (() => unknown)[]): void {
  const value: unknown = Reflect.get(holder, key)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') visit(value, String(i), later)
    return
  }
  if (!isRecord(value)) return
  if (isInstance(value)) {
    later.push(async () => Reflect.set(holder, key, await instanceOf(value)))
    return
  }
  const revive = reviverOf(value)
  const before = later.length
  const plain = unescapeKeys(value)
  // A key that is set instead of kept: as data it is worth nothing, and it would change what the object is.
  if (Object.hasOwn(plain, '__proto__')) delete plain['__proto__']
  if (plain !== value) Reflect.set(holder, key, plain)
  for (const name in plain) visit(plain, name, later)
  if (revive === null) return
  const replace = (): unknown => Reflect.set(holder, key, revive(plain))
  if (later.length === before) replace()
  else later.push(replace)
}

/** How a record of LangGraph's becomes what it stands for; null for plain data. */
function reviverOf(value: Record<string, unknown>): ((record: Record<string, unknown>) => unknown) | null {
  if (value['lc'] !== 2) return null
  switch (value['type']) {
    case 'undefined':
      return () => undefined
    case 'delta_snapshot':
      return 'value' in value ? (record) => new DeltaSnapshot(record['value']) : null
    case 'constructor':
      return (record) => builtIn(record) ?? record
  }
  return null
}
