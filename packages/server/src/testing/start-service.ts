import { onTestFinished } from 'vitest'
import { createClewline, type Clewline, type ClewlineOptions } from '../create-clewline.ts'
import { serve } from '../serve.ts'
import { testStore } from './test-store.ts'

export interface Service {
  readonly clewline: Clewline
  readonly url: string
  /** Sends JSON (or text as it is) and reads JSON. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Reply>
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  // A test looks at whatever came.
  readonly body: Record<string, unknown>
}

/** A real server on a free port, closed when the test is over. */
export async function startService(options: ClewlineOptions): Promise<Service> {
  const clewline = await createClewline({ store: await testStore(), studio: false, ...options })
  const serving = await serve(clewline, { port: 0 })
  onTestFinished(() => serving.close({ timeoutMs: 100 }))
  return {
    clewline,
    url: serving.url,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${serving.url}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: parsed(text) }
    },
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return { text }
  }
}
