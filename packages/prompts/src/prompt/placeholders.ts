import type { In } from '../schema/schema.ts'

type Trim<T extends string> = T extends ` ${infer R}` | `${infer R} ` ? Trim<R> : T

/** Names in `{{…}}`. Double braces, because a backtick string would interpolate `${…}`. */
type Placeholders<T extends string> = T extends `${string}{{${infer N}}}${infer R}`
  ? Trim<N> | Placeholders<R>
  : never

/** `T` itself, or a string type that says which placeholder has no parameter. */
export type CheckedTemplate<T extends string, P> = string extends T
  ? T
  : Exclude<Placeholders<T>, keyof In<P>> extends never
    ? T
    : `unknown placeholder: ${Exclude<Placeholders<T>, keyof In<P>>}`

const pattern = /\{\{\s*(.*?)\s*\}\}/g

export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(pattern)].map((match) => match[1] ?? ''))]
}

/** One pass: braces inside a value stay text. */
export function fillPlaceholders(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(pattern, (_, name: string) => asText(values[name]))
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return JSON.stringify(value) ?? ''
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
