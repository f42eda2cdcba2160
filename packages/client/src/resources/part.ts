import type { Part } from '@clewline/core/parts'
import * as z from 'zod/mini'
import { json } from './json-schema.ts'

export const partSchema: z.ZodMiniType<Part> = z.object({ part: z.string(), value: json })
export const partsSchema = z.object({ parts: z.array(partSchema) })
