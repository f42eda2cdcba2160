import type { Json, JsonObject } from '@clewline/core'
import type * as z from 'zod/mini'
import { ApiError } from './api-error.ts'
import { parseJson } from '../parse-json.ts'
import {
  agentsSchema,
  checkpointsSchema,
  cronSchema,
  cronsSchema,
  infoSchema,
  refusalSchema,
  runsSchema,
  startedSchema,
  stateSchema,
  threadPageSchema,
  threadSchema,
  type Agent,
  type Checkpoint,
  type Cron,
  type Info,
  type Run,
  type Thread,
  type ThreadPage,
  type ThreadStateValues,
} from './resources.ts'

/** The server's routes as functions. One per base URL; `fetch` and the token are given, so that it runs anywhere. */
export interface Api {
  /** Absolute or page-relative, without a trailing slash. */
  readonly base: string
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly info: () => Promise<Info>
  readonly agents: () => Promise<readonly Agent[]>
  readonly threads: (options?: { query?: string; before?: string }) => Promise<ThreadPage>
  readonly thread: (thread: string) => Promise<Thread>
  readonly createThread: (options: { thread_id?: string; agent?: string; title?: string }) => Promise<Thread>
  readonly renameThread: (thread: string, title: string) => Promise<Thread>
  readonly removeThread: (thread: string) => Promise<void>
  readonly state: (thread: string) => Promise<ThreadStateValues>
  readonly writeState: (thread: string, values: JsonObject) => Promise<void>
  readonly checkpoints: (thread: string) => Promise<readonly Checkpoint[]>
  readonly fork: (
    thread: string,
    from: { checkpoint_id?: string; before_message_id?: string },
  ) => Promise<Thread>
  readonly importThread: (jsonl: string) => Promise<Thread>
  readonly start: (thread: string, run: StartRun) => Promise<{ run_id: string; position: number }>
  readonly runs: (thread: string) => Promise<readonly Run[]>
  /** Runs of all threads that wait for their time or their turn, what is due first first. */
  readonly pendingRuns: () => Promise<readonly Run[]>
  readonly cancel: (thread: string, run: string) => Promise<void>
  readonly crons: () => Promise<readonly Cron[]>
  readonly createCron: (cron: NewCron) => Promise<Cron>
  readonly removeCron: (cron: string) => Promise<void>
}

interface StartRun {
  readonly agent: string
  readonly input?: Json
  readonly resume?: readonly { readonly interrupt_id: string; readonly value: Json }[]
  readonly config?: JsonObject
  readonly after_seconds?: number
  readonly on_busy?: 'enqueue' | 'reject' | 'cancel'
}

export interface NewCron {
  readonly schedule: string
  readonly timezone?: string
  readonly thread?: string
  readonly agent: string
  readonly input: Json
}

/** Where the server is (default: where the page came from), and who asks. */
export interface ApiOptions {
  readonly base?: string
  readonly token?: () => string | null
  readonly fetch?: typeof fetch
}

/** The server's routes as functions. A refusal is thrown as an `ApiError`. */
export function createApi(options: ApiOptions = {}): Api {
  const base = (options.base ?? '').replace(/\/$/, '')
  const fetcher = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const token = options.token?.()
    if (token) headers.set('authorization', `Bearer ${token}`)
    let response: Response
    try {
      response = await fetcher(base + path, { ...init, headers })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new ApiError(
        0,
        'unreachable',
        'The server cannot be reached.',
        'Start it with `npx clewline start`; this page goes on by itself.',
      )
    }
    if (response.ok) return response
    throw await refusal(response)
  }

  async function ask<T>(schema: z.ZodMiniType<T>, path: string, init?: RequestInit): Promise<T> {
    const response = await request(path, init)
    const parsed = schema.safeParse(await response.json().catch(() => undefined))
    if (parsed.success) return parsed.data
    throw new ApiError(
      response.status,
      'unexpected',
      `The server answered ${path.split('?', 1)[0]} with something that this page does not know.`,
      'Check that this is a Clewline server, and of the version of this page.',
    )
  }

  const send = <T>(schema: z.ZodMiniType<T>, method: string, path: string, body: unknown): Promise<T> =>
    ask(schema, path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  const at = (thread: string): string => `/api/threads/${encodeURIComponent(thread)}`

  return {
    base,
    request,
    info: () => ask(infoSchema, '/info'),
    agents: async () => (await ask(agentsSchema, '/api/agents')).agents,
    threads: ({ query, before } = {}) => {
      const search = new URLSearchParams({ limit: '50', ...(query && { query }), ...(before && { before }) })
      return ask(threadPageSchema, `/api/threads?${search.toString()}`)
    },
    thread: (thread) => ask(threadSchema, at(thread)),
    createThread: (body) => send(threadSchema, 'POST', '/api/threads', body),
    renameThread: (thread, title) => send(threadSchema, 'PATCH', at(thread), { title }),
    removeThread: async (thread) => void (await request(at(thread), { method: 'DELETE' })),
    state: (thread) => ask(stateSchema, `${at(thread)}/state`),
    writeState: async (thread, values) =>
      void (await send(stateSchema, 'PATCH', `${at(thread)}/state`, { values })),
    checkpoints: async (thread) => (await ask(checkpointsSchema, `${at(thread)}/checkpoints`)).checkpoints,
    fork: (thread, from) => send(threadSchema, 'POST', `${at(thread)}/fork`, from),
    importThread: (jsonl) =>
      ask(threadSchema, '/api/threads/import', {
        method: 'POST',
        body: jsonl,
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    start: (thread, run) => send(startedSchema, 'POST', `${at(thread)}/runs`, run),
    pendingRuns: async () => (await ask(runsSchema, '/api/runs?status=pending')).runs,
    runs: async (thread) => (await ask(runsSchema, `${at(thread)}/runs`)).runs,
    cancel: async (thread, run) =>
      void (await request(`${at(thread)}/runs/${encodeURIComponent(run)}/cancel`, { method: 'POST' })),
    crons: async () => (await ask(cronsSchema, '/api/crons')).crons,
    createCron: (cron) => send(cronSchema, 'POST', '/api/crons', cron),
    removeCron: async (cron) =>
      void (await request(`/api/crons/${encodeURIComponent(cron)}`, { method: 'DELETE' })),
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const parsed = refusalSchema.safeParse(parseJson(text))
  if (parsed.success) {
    const { code, message, hint } = parsed.data.error
    return new ApiError(response.status, code, message, hint)
  }
  const about = text.slice(0, 200).trim() || response.statusText
  return new ApiError(response.status, 'http', `The server answered ${response.status}: ${about}`)
}
