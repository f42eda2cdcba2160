import type { SourceDescription } from '@clewline/core/source'
import * as z from 'zod/mini'
import { jsonObject, list } from './json-schema.ts'

/** An agent that can be run. */
export type Agent = SourceDescription

/** What a model costs, in US dollars per million tokens, and how much it can hold. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Input that the provider had cached; without it, `input` counts. */
  readonly cached?: number
  /** Tokens that fit into its context. */
  readonly context?: number
}

/** What a server says about itself. */
export interface ServiceInfo {
  readonly name: string
  readonly version: string
  /** How many agents it has. */
  readonly agents: number
  /** The model that the agents run on, when they share one. */
  readonly model: string | null
  /** True for a scripted model that answers offline. */
  readonly scripted: boolean
  readonly prices: Readonly<Record<string, Price>>
  /** Kind of its store. */
  readonly store: string
  /** Whether it asks for a token. */
  readonly auth: boolean
}

const text = z.string()

const agent: z.ZodMiniType<Agent> = z.object({
  name: text,
  description: z.exactOptional(text),
  input_schema: z.exactOptional(jsonObject),
  output_schema: z.exactOptional(jsonObject),
  subagents: z.exactOptional(list(text)),
  scripted: z.exactOptional(z.boolean()),
})

export const agentsSchema = z.object({ agents: list(agent) })

const price: z.ZodMiniType<Price> = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.exactOptional(z.number()),
  context: z.exactOptional(z.number()),
})

export const serviceInfoSchema: z.ZodMiniType<ServiceInfo> = z.object({
  name: text,
  version: text,
  agents: z.number(),
  model: z.nullable(text),
  scripted: z.boolean(),
  prices: z.record(text, price),
  store: text,
  auth: z.boolean(),
})
