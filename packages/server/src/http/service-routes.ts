import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { jsonObject } from './resources.ts'
import { json, route, type Route } from './route.ts'

/** What a model costs, in USD per million tokens, and how much it can hold. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Input that the provider had cached; without it, `input` counts. */
  readonly cached?: number
  /** Tokens that fit into its context. */
  readonly context?: number
}

/** What `GET /info` tells about the service. */
export interface ServiceInfo {
  readonly name: string
  readonly version: string
  /** The model that the agents run on, when they share one. */
  readonly model: string | null
  /** True for a scripted model that answers offline. */
  readonly scripted: boolean
  readonly prices: Readonly<Record<string, Price>>
  readonly auth: boolean
}

const agentSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  input_schema: jsonObject.optional(),
  output_schema: jsonObject.optional(),
  subagents: z.array(z.string()).optional(),
  scripted: z.boolean().optional(),
})

const priceSchema = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().optional(),
  context: z.number().optional(),
})

const infoSchema = z.object({
  name: z.string(),
  version: z.string(),
  agents: z.int(),
  model: z.string().nullable(),
  scripted: z.boolean(),
  prices: z.record(z.string(), priceSchema),
  store: z.string(),
  auth: z.boolean(),
})

export function serviceRoutes(runtime: Runtime, info: ServiceInfo): readonly Route[] {
  const tag = 'service'
  return [
    route({
      method: 'get',
      path: '/ok',
      tag,
      summary: 'Whether the server serves',
      answers: { 200: { description: 'It does.', schema: z.object({ ok: z.literal(true) }) } },
      handle: () => json({ ok: true }),
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
      answers: { 200: { description: 'Prometheus text.', content: ['text/plain'] } },
      async handle() {
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
