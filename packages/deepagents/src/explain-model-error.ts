import type { ModelChoice } from './choose-model.ts'
import { DeepAgentError } from './deep-agent-error.ts'

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ECONNRESET',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether the provider is unavailable, so that retrying at once is a waste of the user's time. */
function isUnreachable(error: unknown): boolean {
  return causes(error).some(
    // The second is what `fetch` throws for everything that is no answer, with or without a code in its cause.
    (cause) => UNREACHABLE.has(String(cause['code'])) || cause['message'] === 'fetch failed',
  )
}

/** One sentence about a model that is not there, or the error itself when it is about something else. */
export function explainModelError(error: unknown, choice: ModelChoice): unknown {
  const name = `${choice.provider}:${choice.model}`
  const explain = (message: string): DeepAgentError =>
    new DeepAgentError('model-unavailable', message, { hint: choice.remedy, cause: error })
  if (isUnreachable(error)) return explain(`The model ${name} cannot be reached.`)
  const status = causes(error)
    .map(statusOf)
    .find((code) => code !== undefined)
  if (status === 404) return explain(`The model ${name} does not exist there.`)
  if (status === 401 || status === 403) return explain(`The model ${name} refused the API key.`)
  return error
}

/** Retries are for what may pass: not for a server that is not there, nor for a request that it refused. */
export function giveUpEarly(error: unknown): void {
  const status = causes(error)
    .map(statusOf)
    .find((code) => code !== undefined)
  const refused = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
  if (refused || isUnreachable(error)) throw error
}

function statusOf(error: Record<string, unknown>): number | undefined {
  const status = error['status'] ?? error['status_code'] ?? error['statusCode']
  return typeof status === 'number' ? status : undefined
}

function causes(error: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  const open: unknown[] = [error]
  for (let next = open.shift(); next !== undefined && found.length < 20; next = open.shift()) {
    if (!canHaveCause(next)) continue
    found.push(next)
    open.push(next['cause'], ...(Array.isArray(next['errors']) ? next['errors'] : []))
  }
  return found
}

/** Whatever was thrown, an `Error` or not. */
function canHaveCause(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
