import { isRecord } from '@clewline/core'
import type { In } from '../schema/schema.ts'

type Trim<T extends string> = T extends ` ${infer R}` | `${infer R} ` ? Trim<R> : T

/**
 * Names in `{{…}}`. Double braces, because a backtick string would interpolate `${…}`; a backslash before them
 * (`\\{{` in source code) makes them literal.
 */
type Placeholders<T extends string> = T extends `${infer Before}{{${infer After}`
  ? Before extends `${string}\\`
    ? Placeholders<After>
    : After extends `${infer Name}}}${infer Rest}`
      ? Trim<Name> | Placeholders<Rest>
      : never
  : never

/** The keys of all branches of a union. */
type KeyOf<T> = T extends unknown ? keyof T : never

/** `T` itself, or a string type that says which placeholder has no parameter. */
export type CheckedTemplate<T extends string, P> = string extends T
  ? T
  : Exclude<Placeholders<T>, KeyOf<In<P>>> extends never
    ? T
    : `unknown placeholder: ${Exclude<Placeholders<T>, KeyOf<In<P>>>}`

const pattern = /\\\{\{|\{\{\s*(.*?)\s*\}\}/g

export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(pattern)].flatMap(([, name]) => name ?? []))]
}

/** The text with its braces escaped, so that none of it is a placeholder. */
export const escapePlaceholders = (text: string): string => text.replaceAll('{{', '\\{{')

/** One pass: braces inside a value stay text. */
export function fillPlaceholders(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(pattern, (_, name?: string) =>
    name === undefined ? '{{' : Object.hasOwn(values, name) ? asText(values[name]) : '',
  )
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return value.toString()
  // JSON makes text of dates and addresses, which would come out in quotes.
  const plain: unknown = isRecord(value) && typeof value['toJSON'] === 'function' ? value['toJSON']() : value
  return typeof plain === 'string' ? plain : (JSON.stringify(plain, jsonOf) ?? '')
}

/** What JSON has no form for, or an empty one. */
function jsonOf(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  return value instanceof Map || value instanceof Set ? [...value] : value
}

/** Removes the indentation that all lines share, and blank ends. */
export function dedent(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const first = lines[0]?.trim() === '' ? 0 : 1
  const margins = lines
    .slice(first)
    .flatMap((line) => (line === '' ? [] : [/^\s*/.exec(line)?.[0].length ?? 0]))
  const margin = margins.length === 0 ? 0 : Math.min(...margins)
  return lines
    .map((line, at) => (at < first ? line : line.slice(margin)))
    .join('\n')
    .trim()
}
