import { isRecord } from '@clewline/core'

/** What an option must be; with `?` it may be left out. */
type Kind = 'text' | 'number' | 'boolean' | 'function' | 'list' | 'object' | 'any'
export type Shape = Readonly<Record<string, Kind | `${Kind}?`>>

const kinds: Readonly<Record<Kind, { readonly words: string; is(value: unknown): boolean }>> = {
  text: { words: 'text', is: (value) => typeof value === 'string' },
  number: { words: 'a number', is: (value) => typeof value === 'number' },
  boolean: { words: 'true or false', is: (value) => typeof value === 'boolean' },
  function: { words: 'a function', is: (value) => typeof value === 'function' },
  list: { words: 'a list', is: Array.isArray },
  object: { words: 'an object', is: isRecord },
  any: { words: 'set', is: (value) => value !== undefined },
}

const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text)

/**
 * What is wrong with an object of options, for callers whose compiler does not say: one that is missing, of another
 * kind, or, unless `isOpen`, misspelt. Undefined when nothing is. `what` is such as `a tool`.
 */
export function complaintAbout(
  what: string,
  options: unknown,
  shape: Shape,
  { isOpen = false } = {},
): { readonly message: string; readonly hint: string } | undefined {
  const hint = `The options of ${what}: ${Object.keys(shape).join(', ')}.`
  if (!isRecord(options)) return { message: `The options of ${what} must be an object.`, hint }
  for (const [name, spec] of Object.entries(shape)) {
    const kind = spec.replace('?', '')
    if (options[name] === undefined && spec.endsWith('?')) continue
    if (!isKind(kind) || kinds[kind].is(options[name])) continue
    return { message: `The option "${name}" of ${what} must be ${kinds[kind].words}.`, hint }
  }
  if (isOpen) return undefined
  const stray = Object.keys(options).find(
    (name) => !Object.hasOwn(shape, name) && options[name] !== undefined,
  )
  return stray === undefined ? undefined : { message: `There is no option "${stray}" of ${what}.`, hint }
}
