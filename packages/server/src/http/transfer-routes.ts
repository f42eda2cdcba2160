import { setImmediate } from 'node:timers/promises'
import { type Envelope, ClewlineError } from '@clewline/core'
import { createVerifier } from '@clewline/core/check'
import { type BodyLimits, checkShape, readText } from '@clewline/core/http'
import { parseJsonl } from '@clewline/core/read'
import { z } from 'zod'
import { pump } from '../log/pump.ts'
import type { Runtime } from '../runtime/create-runtime.ts'
import { defined } from './defined.ts'
import { ndjsonOf } from './ndjson-sink.ts'
import { envelope, id, partSchema, threadJson, threadParams, threadSchema } from './resources.ts'
import { json, route, type Route } from './route.ts'
import { streamResponse } from './stream-response.ts'

const MAX_IMPORT_BYTES = 256 * 1024 * 1024
/** Values of all envelopes together: about what a log of that size has, and what a process can hold. */
const MAX_IMPORT_ITEMS = 16_000_000
/** An envelope holds a few values, each of which may have come as a body. */
const BODIES_PER_LINE = 4
/** Values that are checked in one go. */
const TURN = 20_000
const JSONL = 'application/x-ndjson'

export const importQuery = z.object({
  thread_id: id.optional(),
  title: z.string().max(200).optional(),
})

export function transferRoutes(runtime: Runtime, limits: Required<BodyLimits>): readonly Route[] {
  const tag = 'transfer'
  return [
    route({
      method: 'get',
      path: '/api/threads/{thread}/export',
      tag,
      summary: 'The log of a thread as JSONL',
      params: threadParams,
      answers: { 200: { description: 'An envelope a line.', lines: z.union([envelope, partSchema]) } },
      async handle({ params, caller, request, node }) {
        const { thread_id } = await runtime.threads.get(params.thread, caller.owner)
        return streamResponse({
          request,
          node,
          onCut: () => runtime.metrics.readersCut.inc(),
          onClose: runtime.admission.reader(caller.owner ?? null),
          headers: {
            'content-type': `${JSONL}; charset=utf-8`,
            'content-disposition': `attachment; filename="${thread_id}.jsonl"`,
          },
          write: (sink) => pump(runtime.feeds.debug, thread_id, { after: 0, follow: false }, ndjsonOf(sink)),
        })
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/import',
      tag,
      summary: 'Make a thread of a recorded log',
      query: importQuery,
      rawBody: { type: JSONL },
      answers: { 201: { description: 'The new thread.', schema: threadSchema } },
      refusals: ['bad-file', 'conflict'],
      async handle({ query, caller, request }) {
        const text = await readText(request, MAX_IMPORT_BYTES)
        const envelopes = await envelopesOf(text, limits)
        const thread = await runtime.threads.import(envelopes, defined(query), caller.owner)
        return json(threadJson(thread, await runtime.threads.position(thread.thread_id)), 201)
      },
    }),
  ]
}

/** All of it or nothing: a log that breaks the rules is refused with the line that does. */
async function envelopesOf(text: string, limits: Required<BodyLimits>): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  const verifier = createVerifier({ live: true })
  for await (const read of parseJsonl(boundedLines(text, limits), { maxLength: MAX_IMPORT_BYTES })) {
    if ('problem' in read) throw refused(`Line ${read.line}: ${read.problem}`)
    const envelope: Envelope = { ...read.envelope, origin: 'replay' }
    const [violation] = verifier.push(envelope)
    if (violation !== undefined) throw refused(`Line ${read.line}: ${violation.message}`)
    envelopes.push(envelope)
  }
  return envelopes
}

/** The lines one by one, each bounded as a body is before it is parsed: work is done per value. */
async function* boundedLines(text: string, { bytes, items }: Required<BodyLimits>): AsyncGenerator<string> {
  let all = 0
  let turn = 0
  for (let start = 0, line = 1; start < text.length; line++) {
    const end = text.indexOf('\n', start)
    const one = text.slice(start, end === -1 ? text.length : end + 1)
    start += one.length
    if (one.length > bytes * BODIES_PER_LINE) {
      throw tooLarge(`Line ${line} is longer than ${bytes * BODIES_PER_LINE} characters.`, 'maxBodyBytes')
    }
    const found = checkShape(`Line ${line}`, one, items)
    all += found
    turn += found
    if (all > MAX_IMPORT_ITEMS) {
      const hint = 'Compact the thread before it is exported, or import a part of its log.'
      throw new ClewlineError('too-large', `The log has more than ${MAX_IMPORT_ITEMS} values.`, { hint })
    }
    yield one
    // A long log is long work: others get their turn.
    if (turn < TURN) continue
    turn = 0
    await setImmediate()
  }
}

function tooLarge(message: string, limit: string): ClewlineError {
  return new ClewlineError('too-large', message, { hint: `Raise the server's limit, ${limit}.` })
}

function refused(message: string): ClewlineError {
  return new ClewlineError('bad-file', message, {
    hint: 'Send what GET /api/threads/:thread/export gave; "clewline verify FILE" shows everything that is wrong.',
  })
}
