import type { Json } from '@clewline/core'
import { fieldsOf } from '../fields-of.ts'

export type Decision = 'approve' | 'edit' | 'reject'

/** One action that a middleware asks about before it runs. */
export interface ReviewedAction {
  readonly name: string
  readonly args: Json
  readonly description: string
  readonly allowed: readonly Decision[]
}

/** What an interrupt wants: decisions about actions, one of some options, or words. */
export type Question =
  | { readonly asks: 'review'; readonly actions: readonly ReviewedAction[] }
  | { readonly asks: 'choice'; readonly text: string; readonly options: readonly string[] }
  | { readonly asks: 'text'; readonly text: string; readonly detail: Json }

const DECISIONS: readonly Decision[] = ['approve', 'edit', 'reject']

/** Reads the value of an interrupt. Every shape has an answer; what is not known is shown and answered in words. */
export function questionOf(value: Json): Question {
  if (typeof value === 'string') return { asks: 'text', text: value, detail: null }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { asks: 'text', text: 'The agent waits for an answer.', detail: value }
  }
  const record = fieldsOf(value)
  const requests = record['actionRequests'] ?? record['action_requests']
  if (Array.isArray(requests)) {
    const configs = record['reviewConfigs'] ?? record['review_configs']
    return { asks: 'review', actions: requests.map((request) => actionOf(request, configs ?? [])) }
  }
  const { question, message, prompt, text, options, choices, ...detail } = record
  const asked = [question, message, prompt, text].find((part) => typeof part === 'string')
  const offered = [options, choices].find(Array.isArray)?.filter((part) => typeof part === 'string') ?? []
  if (offered.length > 0) return { asks: 'choice', text: asked ?? 'Choose one.', options: offered }
  return {
    asks: 'text',
    text: asked ?? 'The agent waits for an answer.',
    detail: Object.keys(detail).length > 0 ? detail : null,
  }
}

function actionOf(request: Json, configs: Json): ReviewedAction {
  const { name, action, args, description } = fieldsOf(request)
  const called = typeof name === 'string' ? name : typeof action === 'string' ? action : 'action'
  const config = (Array.isArray(configs) ? configs : [])
    .map(fieldsOf)
    .find((one) => (one['actionName'] ?? one['action_name']) === called)
  const allowed = config?.['allowedDecisions'] ?? config?.['allowed_decisions']
  return {
    name: called,
    args: args ?? {},
    description: typeof description === 'string' ? description : '',
    allowed: Array.isArray(allowed) ? DECISIONS.filter((one) => allowed.includes(one)) : DECISIONS,
  }
}
