import * as z from 'zod/mini'
import { envelopeSchema, json } from '../envelope-schema.ts'

/** The envelope as JSON Schema (draft 2020-12), for other languages. Published as `envelope.schema.json`. */
export function envelopeJsonSchema(): object {
  const names = z.registry<{ id: string }>()
  names.add(json, { id: 'json' })
  // `input`: a reader ignores fields that it does not know, so the schema must not forbid them.
  const { $schema, ...schema } = z.toJSONSchema(envelopeSchema, { io: 'input', metadata: names })
  return {
    $schema,
    title: 'Clewline envelope',
    description: 'One line of a Clewline stream. PROTOCOL.md says what a stream of them must keep.',
    ...schema,
  }
}
