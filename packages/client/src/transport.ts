import { ClewlineError } from '@clewline/core'
import type * as z from 'zod/mini'
import { baseUrl, noUrl } from './base-url.ts'
import { parseJson } from './parse-json.ts'
import { refusal } from './refusal.ts'

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** With the base path, if there is one. Default: where the page came from. */
  readonly url?: string
  /** A function is asked before each request, for a token that changes. */
  readonly token?: string | (() => string | null | undefined)
  /** Default: the platform's. */
  readonly fetch?: typeof fetch
}

/** What every method takes last. */
export interface RequestOptions {
  /** Aborts the request; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** HTTP with the token on it, and refusals as errors. */
export interface Transport {
  /** A response that is `ok`; anything else is thrown as a `ClewlineError`. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  /** A response that is JSON of this schema. */
  readonly ask: <T>(schema: z.ZodMiniType<T>, path: string, init: RequestInit) => Promise<T>
  readonly get: <T>(schema: z.ZodMiniType<T>, path: string, options?: RequestOptions) => Promise<T>
  /** Sends JSON. */
  readonly send: <T>(
    schema: z.ZodMiniType<T>,
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
    options?: RequestOptions,
  ) => Promise<T>
  readonly remove: (path: string, options?: RequestOptions) => Promise<void>
}

export function createTransport(options: ClientOptions): Transport {
  const url = baseUrl(options.url)
  // Called as a plain function: `fetch` of a browser refuses any other `this`.
  const fetcher: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init))
  const token = (): string | null | undefined =>
    typeof options.token === 'function' ? options.token() : options.token

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    checkPath(path)
    if (!/^http/i.test(url) && options.fetch === undefined && typeof location === 'undefined') throw noUrl()
    const headers = new Headers(init.headers)
    const secret = token()
    if (secret) authorize(headers, secret)
    let response: Response
    try {
      response = await fetcher(url + path, { ...init, headers })
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      throw unreachable(url, cause)
    }
    if (response.ok) return response
    const refused = await refusal(response)
    init.signal?.throwIfAborted()
    throw refused
  }

  async function ask<T>(schema: z.ZodMiniType<T>, path: string, init: RequestInit): Promise<T> {
    const response = await request(path, init)
    const text = await response.text().catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : unreachable(url, cause)
    })
    const parsed = schema.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    throw new ClewlineError(
      'unsupported',
      `The server answered ${path.split('?', 1)[0]} with something that this client does not know.`,
      { hint: 'Check that this is a Clewline server, and of the same version as the client.' },
    )
  }

  return {
    request,
    ask,
    get: (schema, path, { signal = null } = {}) => ask(schema, path, { signal }),
    send: (schema, method, path, body, { signal = null } = {}) =>
      ask(schema, path, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        signal,
      }),
    remove: async (path, { signal = null } = {}) => void (await request(path, { method: 'DELETE', signal })),
  }
}

function authorize(headers: Headers, secret: string): void {
  try {
    headers.set('authorization', `Bearer ${secret}`)
  } catch {
    // Without the platform's own error, which has the token in its message.
    throw new ClewlineError('bad-request', 'The token has characters that no header can hold.', {
      hint: 'Check where it comes from: a line break in the middle?',
    })
  }
}

/** An id that is empty, `.` or `..` makes the path of something else: `cancel` of a run becomes that of its thread. */
function checkPath(path: string): void {
  if (!/\/\.{0,2}(?=[/?]|$)/.test(path)) return
  throw new ClewlineError('bad-request', `There is no id in ${path.split('?', 1)[0]}.`, {
    hint: 'Ids are not empty, and neither "." nor "..".',
  })
}

function unreachable(url: string, cause: unknown): ClewlineError {
  return url === ''
    ? new ClewlineError('unavailable', 'The server cannot be reached.', {
        hint: 'Start it with `npx clewline start`; this page goes on by itself.',
        cause,
      })
    : new ClewlineError('unavailable', `No Clewline answers at ${url}.`, {
        hint: 'Start one with `npx clewline start`, or check the URL.',
        cause,
      })
}
