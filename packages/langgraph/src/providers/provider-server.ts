import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { buffer } from 'node:stream/consumers'
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from '@copilotkit/aimock'
import { isRecord } from '@clewline/core'

/** A request as it came over HTTP. */
export interface Received {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** What the provider answers to the request, which aimock gives in the form of OpenAI whoever sent it. */
export type Script = (request: ChatCompletionRequest) => FixtureResponse

/**
 * A provider that speaks all dialects of aimock and keeps the bytes that it was sent. The journal of aimock is written in
 * OpenAI's form and cut at 64 KB, so the requests are read in front of it.
 */
export async function startProvider(script: Script) {
  const mock = new LLMock({ port: 0, chunkSize: 8 })
  mock.on({ predicate: () => true }, script)
  await mock.start()
  const received: Received[] = []
  const front = createServer((request, response) => {
    void (async () => {
      const bytes = await buffer(request)
      const body: unknown = JSON.parse(bytes.toString('utf8'))
      if (isRecord(body)) received.push({ path: request.url ?? '', body })
      const answer = await fetch(`${mock.url}${request.url}`, {
        method: 'POST',
        body: bytes,
        headers: { 'content-type': 'application/json', authorization: 'Bearer none', 'x-api-key': 'none' },
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      if (answer.body === null) response.end()
      else await pipeline(Readable.fromWeb(answer.body), response)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const address = front.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** How many requests aimock's own journal has: the front must not have missed one. */
    journaled: () => mock.getRequests().length,
    [Symbol.asyncDispose]: async () => {
      front.closeAllConnections()
      await new Promise<void>((resolve) => front.close(() => resolve()))
      await mock.stop()
    },
  }
}
