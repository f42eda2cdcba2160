import type { Json } from '@clewline/core'
import { argsOf, short } from './args.ts'

/** What an interrupt asks, for a person to read: several lines at most, JSON only when nothing better is known. */
export function questionOf(value: Json): string {
  if (typeof value === 'string') return value
  const requests = actionRequests(value)
  if (requests.length > 0) return requests.map(requestOf).join('\n')
  for (const key of ['question', 'message', 'prompt', 'description']) {
    const text = at(value, key)
    if (typeof text === 'string' && text !== '') return text
  }
  return JSON.stringify(value)
}

/** The tool calls that LangChain's human-in-the-loop middleware wants a decision on. */
export function actionRequests(value: Json): readonly Json[] {
  const requests = at(value, 'actionRequests')
  return Array.isArray(requests) ? requests : []
}

function requestOf(request: Json): string {
  const description = at(request, 'description')
  const call = `${short(at(request, 'name') ?? 'it')} ${argsOf(at(request, 'args') ?? null)}`.trim()
  return typeof description === 'string' && description !== ''
    ? `${description}\n  ${call}`
    : `May it run ${call}?`
}

function at(value: Json, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const found: Json | undefined = Reflect.get(value, key)
  return found
}
