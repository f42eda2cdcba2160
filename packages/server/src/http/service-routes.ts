import type { Agent, Price, ServiceInfo } from '@clewline/client'
import { ClewlineError } from '@clewline/core'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { NotReady } from '../runtime/not-ready.ts'
import { jsonObject } from './resources.ts'
import { type Caller, json, route, type Route } from './route.ts'
import type { Shape } from './shape.ts'

/** What `GET /info` tells about the service, except what the runtime knows. */
export type ServiceFacts = Omit<ServiceInfo, 'agents' | 'store'>

const agentSchema = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  input_schema: jsonObject.exactOptional(),
  output_schema: jsonObject.exactOptional(),
  subagents: z.array(z.string()).exactOptional(),
  interrupts: z.boolean().exactOptional(),
  scripted: z.boolean().exactOptional(),
} satisfies Shape<Agent>)

const priceSchema = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().exactOptional(),
  context: z.number().exactOptional(),
} satisfies Shape<Price>)

const infoSchema = z.object({
  name: z.string(),
  version: z.string(),
  agents: z.int(),
  model: z.string().nullable(),
  scripted: z.boolean(),
  prices: z.record(z.string(), priceSchema),
  store: z.string(),
  auth: z.boolean(),
} satisfies Shape<ServiceInfo>)

const readinessSchema = z.object({
  ready: z.boolean(),
  reasons: z.array(z.enum(['store', 'notices', 'worker', 'closing'] satisfies NotReady[])),
})

export function serviceRoutes(runtime: Runtime, info: ServiceFacts): readonly Route[] {
  const tag = 'service'
  return [
    route({
      method: 'get',
      path: '/ok',
      tag,
      summary: 'Liveness: whether the process answers at all',
      answers: { 200: { description: 'It does.', schema: z.object({ ok: z.literal(true) }) } },
      handle: () => json({ ok: true }),
    }),
    route({
      method: 'get',
      path: '/ready',
      tag,
      summary: 'Readiness: whether the process can do its work now',
      answers: {
        200: { description: 'It can.', schema: readinessSchema },
        503: { description: 'It cannot; `reasons` says what is missing.', schema: readinessSchema },
      },
      async handle() {
        const reasons = await runtime.notReady()
        return json({ ready: reasons.length === 0, reasons }, reasons.length === 0 ? 200 : 503)
      },
    }),
    route({
      method: 'get',
      path: '/info',
      tag,
      summary: 'What this service is',
      answers: { 200: { description: 'Name, version, model, store.', schema: infoSchema } },
      handle: () => json({ ...info, agents: runtime.agents.size, store: runtime.store.kind }),
    }),
    route({
      method: 'get',
      path: '/metrics',
      tag,
      summary: 'Figures for Prometheus',
      answers: { 200: { description: 'Prometheus text.', content: 'text/plain' } },
      async handle({ caller }) {
        requireOperator(caller)
        const { registry } = runtime.metrics
        return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
      },
    }),
    route({
      method: 'get',
      path: '/api/agents',
      tag: 'agents',
      summary: 'The agents that can be run',
      answers: {
        200: { description: 'Agents and their schemas.', schema: z.object({ agents: z.array(agentSchema) }) },
      },
      async handle() {
        const agents = await Promise.all(
          [...runtime.agents].map(async ([name, source]) => ({ ...(await source.describe()), name })),
        )
        return json({ agents })
      },
    }),
  ]
}

/** The figures are of all tenants, and name them. */
function requireOperator({ owner, user }: Caller): void {
  if (owner === undefined || user?.permissions.includes('metrics') === true) return
  throw new ClewlineError('forbidden', 'The figures of the service are for those who run it.', {
    hint: 'Let "authenticate" give the user who collects them the permission "metrics".',
  })
}
