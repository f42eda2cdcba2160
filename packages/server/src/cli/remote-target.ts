import { setTimeout as sleep } from 'node:timers/promises'
import { ClewlineError, type ClewlineErrorCode, type Entry, HTTP_STATUS } from '@clewline/core'
import * as z from 'zod'
import { readSse } from './read-sse.ts'
import type { ReadWish, Target } from './target.ts'

const threadAnswer = z.object({ thread_id: z.string(), position: z.number() })
const startAnswer = z.object({ run_id: z.string(), position: z.number() })
const runAnswer = z.object({
  status: z.enum(['pending', 'running', 'success', 'error', 'interrupted', 'cancelled']),
  error: z.object({ name: z.string(), message: z.string() }).nullish(),
})
const problem = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().default('') }),
})

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** A Clewline that runs elsewhere, over HTTP. */
export function remoteTarget(base: string, token: string | undefined): Target {
  const root = base.replace(/\/+$/, '')
  const headers: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function request(path: string, init: Asked = {}): Promise<Response> {
    let response: Response
    try {
      response = await fetch(`${root}${path}`, { ...init, headers: { ...headers, ...init.headers } })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new ClewlineError('unavailable', `No Clewline answers at ${root}.`, {
        hint: 'Start one with clewline start, or say where it is with --url.',
        cause: error,
      })
    }
    if (response.ok) return response
    throw await errorOf(response, root)
  }

  const post = (path: string, body: unknown): Promise<Response> =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const at = (thread_id: string, rest = ''): string => `/api/threads/${encodeURIComponent(thread_id)}${rest}`

  async function* read(thread_id: string, { after, follow, signal }: ReadWish): AsyncGenerator<Entry> {
    const seen = new Map<string, number>()
    let position = after
    while (!signal.aborted) {
      try {
        const query = `?after=${position}&follow=${follow}&profile=debug`
        const response = await request(at(thread_id, `/events${query}`), {
          signal,
          headers: { accept: 'text/event-stream' },
        })
        if (response.body === null) return
        for await (const entry of readSse(response.body)) {
          position = entry.position
          const { call_id, seq } = entry.envelope
          if (seq <= (seen.get(call_id) ?? 0)) continue
          seen.set(call_id, seq)
          yield entry
        }
        if (!follow) return
      } catch (error) {
        if (signal.aborted) return
        if (!follow || (error instanceof ClewlineError && error.code !== 'unavailable')) throw error
      }
      // The server restarts or the line broke: what comes next is asked for after what was seen.
      await sleep(500, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    async thread(thread_id) {
      const response = await post('/api/threads', thread_id === undefined ? {} : { thread_id })
      return threadAnswer.parse(await response.json()).thread_id
    },
    async start(thread_id, wish) {
      return startAnswer.parse(await (await post(at(thread_id, '/runs'), wish)).json())
    },
    async run(thread_id, run_id) {
      const response = await request(at(thread_id, `/runs/${encodeURIComponent(run_id)}`))
      const { status, error } = runAnswer.parse(await response.json())
      return error === undefined ? { status } : { status, error }
    },
    async cancel(thread_id, run_id) {
      await post(at(thread_id, `/runs/${encodeURIComponent(run_id)}/cancel`), {})
    },
    async last(thread_id) {
      return threadAnswer.parse(await (await request(at(thread_id))).json()).position
    },
    read,
    close: () => Promise.resolve(),
  }
}

async function errorOf(response: Response, root: string): Promise<ClewlineError> {
  const parsed = problem.safeParse(await response.json().catch(() => null))
  if (parsed.success) {
    const { code, message, hint } = parsed.data.error
    return new ClewlineError(isCode(code) ? code : 'internal', message, { hint })
  }
  return new ClewlineError(
    'unsupported',
    `${root} answered ${response.status} and does not look like a Clewline.`,
    {
      hint: 'Check --url.',
    },
  )
}

const isCode = (code: string): code is ClewlineErrorCode => Object.hasOwn(HTTP_STATUS, code)
