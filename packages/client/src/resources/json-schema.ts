import type { Json, JsonObject } from '@clewline/core'
import * as z from 'zod/mini'

/** Any JSON. Not walked through: what `response.json()` returns cannot hold anything else. */
export const json: z.ZodMiniType<Json> = z.custom<Json>((value) => value !== undefined)

export const jsonObject: z.ZodMiniType<JsonObject> = z.record(z.string(), json)

export function list<T>(item: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return z.readonly(z.array(item))
}
