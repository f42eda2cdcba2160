import { aguiEndpoints, type AguiEndpoints, type AguiRequest, type AguiResponse } from '@clewline/agui'
import { type BodyLimits, readJson } from '@clewline/core/http'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { Sink } from '../log/pump.ts'
import { aguiPort } from './agui-port.ts'
import type { Heartbeat } from './heartbeat.ts'
import { id, jsonValue } from './resources.ts'
import { type RouteRequest, json, route, type Route } from './route.ts'
import { streamResponse } from './stream-response.ts'

const params = z.object({ agent: z.string().min(1).max(200) })

/** For the document. The endpoints accept more, from any client since 0.0.37, and say what is wrong with it. */
const runAgentInput = z
  .looseObject({
    threadId: id,
    runId: id.optional(),
    messages: z.array(z.looseObject({ id: z.string(), role: z.string() })).optional(),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
    context: z.array(z.object({ description: z.string(), value: z.string() })).optional(),
    state: jsonValue.optional(),
    forwardedProps: jsonValue.optional(),
    resume: z.array(z.looseObject({ interruptId: z.string(), payload: jsonValue.optional() })).optional(),
  })
  .meta({ id: 'RunAgentInput', description: "AG-UI's RunAgentInput." })
const rawBody = { type: 'application/json', schema: runAgentInput }
const event = z
  .looseObject({ type: z.string() })
  .meta({ id: 'AguiEvent', description: "One of AG-UI's events." })
const STREAM = {
  description: 'AG-UI events: server-sent, or as NDJSON or protobuf when Accept names it.',
  events: { message: event },
  lines: event,
}
const refusals = ['unknown-agent', 'not-acceptable', 'conflict', 'busy'] as const

export interface AguiRouteOptions {
  /** Keys of `forwardedProps` that reach the agent. */
  readonly forward: readonly string[]
  readonly limits: BodyLimits
}

type AguiAsked = Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'request' | 'node'>

/** AG-UI for any client of it: run, connect, capabilities. */
export function aguiRoutes(
  runtime: Runtime,
  heartbeat: Heartbeat,
  { forward, limits }: AguiRouteOptions,
): readonly Route[] {
  const endpointsFor = ({ caller }: AguiAsked): AguiEndpoints =>
    aguiEndpoints({ threads: aguiPort(runtime, caller), forward })
  const requestOf = ({ request }: AguiAsked): AguiRequest => ({
    headers: request.headers,
    body: () => readJson(request, limits),
  })
  /** Admitted first: what is refused must not have started a run. */
  const respond = async (
    { request, node, caller }: AguiAsked,
    respondTo: () => Promise<AguiResponse>,
  ): Promise<Response> => {
    const onClose = runtime.admission.reader(caller.owner ?? null)
    const response = await respondTo().catch((error: unknown) => {
      onClose()
      throw error
    })
    return streamResponse({
      request,
      node,
      headers: response.headers,
      onClose,
      onCut: () => runtime.metrics.readersCut.inc(),
      async write(sink) {
        if (response.heartbeat !== null) heartbeat.join(sink, response.heartbeat)
        await writeChunks(response, sink)
      },
    })
  }
  const tag = 'ag-ui'
  return [
    route({
      method: 'post',
      path: '/agui/{agent}',
      tag,
      summary: 'Run an agent: AG-UI RunAgentInput in, events out',
      params,
      rawBody,
      answers: { 200: STREAM },
      refusals,
      handle: (asked) => respond(asked, () => endpointsFor(asked).run(asked.params.agent, requestOf(asked))),
    }),
    route({
      method: 'post',
      path: '/agui/{agent}/connect',
      tag,
      summary: 'Attach to a thread: what it holds, then what its run does',
      params,
      rawBody,
      answers: { 200: STREAM },
      refusals,
      handle: (asked) =>
        respond(asked, () => endpointsFor(asked).connect(asked.params.agent, requestOf(asked))),
    }),
    route({
      method: 'get',
      path: '/agui/{agent}/capabilities',
      tag,
      summary: 'What the agent can do, in AG-UI terms',
      params,
      answers: { 200: { description: 'Capabilities.', schema: z.record(z.string(), z.unknown()) } },
      handle: async (asked) => json(await endpointsFor(asked).capabilities(asked.params.agent)),
    }),
  ]
}

/** Ends with the stream, or when the reader closes its connection; a reader that is slow slows the reading down. */
async function writeChunks({ chunks }: AguiResponse, sink: Sink): Promise<void> {
  // The reader may have closed its connection while the run was started.
  if (sink.isClosed()) return
  const left = new AbortController()
  sink.onClose(() => left.abort())
  for await (const chunk of chunks(left.signal)) {
    if (!sink.write(chunk) && !(await sink.room())) break
  }
  sink.end()
}
