import { ClewlineError } from '@clewline/core'
import { PROFILES } from '@clewline/core/read'
import { z } from 'zod'
import { pump, type Sink } from '../log/pump.ts'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { Change } from '../runtime/bus.ts'
import { flag } from './flag.ts'
import type { Heartbeat } from './heartbeat.ts'
import { ndjsonOf } from './ndjson-sink.ts'
import {
  cronJson,
  cronSchema,
  envelope,
  partSchema,
  runJson,
  runSchema,
  summaryJson,
  threadJson,
  threadParams,
  threadSchema,
} from './resources.ts'
import { route, type Route } from './route.ts'
import { SSE_HEADERS, streamResponse } from './stream-response.ts'

const RETRY = Buffer.from('retry: 1000\n\n')
const END = Buffer.from('event: end\ndata: {}\n\n')

/** At most as many digits as a number holds exactly. */
const POSITION = /^\d{1,15}$/

const eventsQuery = z.object({
  after: z
    .string()
    .regex(POSITION, 'must be a position: a whole number')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0 }),
  profile: z.enum(PROFILES).default('user'),
  follow: flag(true),
  inputs: flag(
    false,
    'For profile `user`: with what models were asked, and raw answers. `debug` always has them.',
  ),
})

const changes = {
  thread: z.union([z.object({ thread: threadSchema }), z.object({ removed: z.string() })]),
  run: z.object({ run: runSchema }),
  cron: z.object({ cron: cronSchema.partial({ input: true }) }),
}

export function eventRoutes(runtime: Runtime, heartbeat: Heartbeat): readonly Route[] {
  const onCut = (): void => runtime.metrics.readersCut.inc()
  const tag = 'events'
  return [
    route({
      method: 'get',
      path: '/api/threads/{thread}/events',
      tag,
      summary: 'The envelopes of a thread: what is there, then what comes, across runs',
      params: threadParams,
      query: eventsQuery,
      answers: {
        200: {
          description: 'Server-sent events with the position as id, or NDJSON when Accept names it.',
          events: { message: envelope, part: partSchema, end: z.object({}) },
          lines: z.union([envelope, partSchema]),
        },
      },
      async handle({ params, query, caller, request, node }) {
        const { thread_id } = await runtime.threads.get(params.thread, caller.owner)
        // A browser that reconnects repeats the address, `after` and all, and says in the header how far it has come.
        const after = lastEventId(request) ?? query.after ?? 0
        const isNdjson = (request.headers.get('accept') ?? '').includes('application/x-ndjson')
        const { follow, profile, inputs } = query
        const feed = runtime.feeds[profile === 'user' && inputs ? 'inputs' : profile]
        return streamResponse({
          request,
          node,
          onCut,
          onClose: runtime.admission.reader(caller.owner ?? null),
          headers: isNdjson
            ? { ...SSE_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' }
            : SSE_HEADERS,
          async write(sink) {
            const out = isNdjson ? ndjsonOf(sink) : withEnd(sink, !follow)
            if (!isNdjson) sink.write(RETRY)
            if (follow && !isNdjson) heartbeat.join(sink)
            await pump(feed, thread_id, { after, follow }, out)
          },
        })
      },
    }),
    route({
      method: 'get',
      path: '/api/events',
      tag,
      summary: 'The whole service at a glance: threads, runs and crons as they change',
      query: z.object({ inputs: flag(false, 'Runs and crons with their inputs, which may be large.') }),
      answers: { 200: { description: 'Server-sent events.', events: changes } },
      handle: ({ query, caller, request, node }) =>
        streamResponse({
          request,
          node,
          onCut,
          onClose: runtime.admission.reader(caller.owner ?? null),
          headers: SSE_HEADERS,
          async write(sink) {
            sink.write(RETRY)
            heartbeat.join(sink)
            const send = async (change: Change): Promise<void> => {
              const text = await changeFrame(runtime, change, query.inputs)
              // Backpressure: a listener that does not read is disconnected instead of buffered for; it asks for the lists again.
              if (!sink.write(Buffer.from(text))) sink.end()
            }
            // Serialised: an older state of a thread must not be sent after its removal.
            let sent = Promise.resolve()
            const stop = runtime.bus.subscribe((change) => {
              if (caller.owner !== undefined && ownerOf(change) !== caller.owner) return
              sent = sent.then(() => send(change)).catch(() => sink.end())
            })
            sink.onClose(stop)
          },
        }),
    }),
  ]
}

function lastEventId(request: Request): number | undefined {
  const header = request.headers.get('last-event-id')
  if (header === null || header === '') return undefined
  if (!POSITION.test(header)) {
    throw new ClewlineError('bad-request', `Last-Event-ID "${header.slice(0, 40)}" is not a position.`, {
      hint: 'Send back the id of the last event, a whole number, or leave the header out.',
    })
  }
  return Number(header)
}

/** A stream that does not follow says so when it is complete, so that a client does not come back for more. */
function withEnd(sink: Sink, isBounded: boolean): Sink {
  if (!isBounded) return sink
  return {
    ...sink,
    end() {
      sink.write(END)
      sink.end()
    },
  }
}

function ownerOf(change: Change): string | null {
  switch (change.type) {
    case 'thread':
      return change.thread.owner
    case 'cron':
      return change.cron.owner
    case 'run':
    case 'thread_removed':
      return change.owner
  }
}

async function changeFrame(runtime: Runtime, change: Change, inputs: boolean): Promise<string> {
  switch (change.type) {
    case 'thread': {
      const position = await runtime.threads.position(change.thread.thread_id)
      return sse('thread', { thread: threadJson(change.thread, position) })
    }
    case 'thread_removed':
      return sse('thread', { removed: change.thread_id })
    case 'run': {
      const { request, ...run } = change.run
      return sse('run', { run: inputs ? runJson(change.run) : summaryJson({ ...run, kind: request.kind }) })
    }
    case 'cron': {
      const { input, ...cron } = cronJson(change.cron)
      return sse('cron', { cron: inputs ? { ...cron, input } : cron })
    }
  }
}

function sse(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
