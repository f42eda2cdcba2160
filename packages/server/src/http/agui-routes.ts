import { aguiHandlers, type AguiHandlers } from '@clewline/agui'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { aguiPort } from './agui-port.ts'
import { id, jsonValue } from './resources.ts'
import { type Asked, route, type Route } from './route.ts'

const params = z.object({ agent: z.string().min(1).max(200) })

/** What the handlers read of it; they take more, and say what is wrong with it. */
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
const STREAM = { description: 'AG-UI events.', content: ['text/event-stream', 'application/x-ndjson'] }

export interface AguiRouteOptions {
  /** Keys of `forwardedProps` that reach the agent. */
  readonly forward: readonly string[]
  readonly maxBodyBytes: number
}

/** AG-UI for any client of it: run, connect, capabilities. */
export function aguiRoutes(runtime: Runtime, options: AguiRouteOptions): readonly Route[] {
  const handlersFor = ({ caller }: Pick<Asked<unknown, unknown, unknown>, 'caller'>): AguiHandlers =>
    aguiHandlers({ threads: aguiPort(runtime, caller.owner), ...options })
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
      handle: (asked) => handlersFor(asked).run(asked.request, asked.params.agent),
    }),
    route({
      method: 'post',
      path: '/agui/{agent}/connect',
      tag,
      summary: 'Attach to a thread: what it holds, then what its run does',
      params,
      rawBody,
      answers: { 200: STREAM },
      handle: (asked) => handlersFor(asked).connect(asked.request, asked.params.agent),
    }),
    route({
      method: 'get',
      path: '/agui/{agent}/capabilities',
      tag,
      summary: 'What the agent can do, in AG-UI terms',
      params,
      answers: { 200: { description: 'Capabilities.', schema: z.record(z.string(), z.unknown()) } },
      handle: (asked) => handlersFor(asked).capabilities(asked.request, asked.params.agent),
    }),
  ]
}
