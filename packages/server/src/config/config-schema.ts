import { WINDOW_MS } from '@clewline/core/read'
import { z } from 'zod'
import type { Config } from './define-config.ts'

const positive = z.number().positive()
const seconds = z.number().nonnegative()
const texts = z.array(z.string())

const aFunction = z.custom((value) => typeof value === 'function', 'is not a function')
/** A store of the caller's own may be anything: what it can do is seen when it is used. */
const aStore = z.custom(
  (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  'is neither the name of a store nor a store',
)

const price = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().optional(),
  context: z.number().optional(),
})

type Limits = Exclude<NonNullable<Config['limits']>, (...args: never) => unknown>

const limit = z.union([z.number().nonnegative(), z.literal(Infinity)]).optional()
const limits = z.strictObject({
  // An owner who may run nothing would have runs that wait for ever: refuse them with `pending: 0`.
  concurrency: z.union([z.number().min(1), z.literal(Infinity)]).optional(),
  share: positive.optional(),
  pending: limit,
  runsPerMinute: limit,
  requestsPerSecond: limit,
  readers: limit,
  crons: limit,
  logBytes: limit,
  maxPriority: z.enum(['low', 'normal', 'high']).optional(),
} satisfies Readonly<Record<keyof Limits, z.ZodType>>)

/** Every key of a config, so that one that is misspelt, or of the wrong type, is an error and not ignored. */
const keys: Readonly<Record<keyof Config, z.ZodType>> = {
  agents: z.record(z.string(), z.unknown()),
  store: aStore.optional(),
  durability: z.enum(['normal', 'full']).optional(),
  encryption: z.strictObject({ key: z.string(), oldKeys: texts.optional() }).optional(),
  token: z.string().optional(),
  authenticate: aFunction.optional(),
  allowedOrigins: texts.optional(),
  basePath: z.string().optional(),
  maxBodyBytes: positive.optional(),
  maxBodyItems: positive.optional(),
  configurable: texts.optional(),
  forwardedProps: texts.optional(),
  studio: z.boolean().optional(),
  debug: z.boolean().optional(),
  onFailure: aFunction.optional(),
  info: z
    .object({
      name: z.string().optional(),
      model: z.string().nullish(),
      scripted: z.boolean().optional(),
      prices: z.record(z.string(), price).optional(),
    })
    .optional(),
  concurrency: z.int().nonnegative().optional(),
  limits: z.union([aFunction, limits]).optional(),
  leaseMs: positive.optional(),
  maxCrashes: z.int().nonnegative().optional(),
  silentSeconds: positive.optional(),
  stopGraceMs: seconds.optional(),
  lingerMs: seconds.optional(),
  windowMs: z.number().min(WINDOW_MS.min).max(WINDOW_MS.max).optional(),
  maxValueBytes: positive.optional(),
  redact: aFunction.optional(),
  compactAfterSeconds: seconds.optional(),
  now: aFunction.optional(),
  port: z.number().optional(),
  host: z.string().optional(),
}

const configSchema = z.strictObject(keys)

/** What is wrong with a config, in a sentence; null when nothing is. */
export function configProblem(config: object): string | null {
  const [issue] = configSchema.safeParse(config).error?.issues ?? []
  if (issue === undefined) return null
  if (issue.code === 'unrecognized_keys') return `It knows no "${issue.keys.join('", "')}".`
  return `${issue.path.join('.')}: ${issue.message}.`
}

export const CONFIG_KEYS: readonly string[] = Object.keys(keys)
