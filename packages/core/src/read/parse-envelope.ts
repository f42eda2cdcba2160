import { coerce } from '../coerce.ts'
import { envelopeSchema } from '../envelope-schema.ts'
import { type Envelope, PROTOCOL } from '../envelope.ts'

/**
 * An envelope, or a sentence that says what is wrong with it, whatever the value is. The envelope is the value itself,
 * with whatever fields a later version of the protocol may have added.
 */
export function parseEnvelope(value: unknown): { envelope: Envelope } | { problem: string } {
  try {
    if (!isEnvelope(value)) return { problem: newerOf(value) ?? problemOf(value) }
    const problem = newerOf(value)
    return problem === null ? { envelope: value } : { problem }
  } catch (error) {
    // The stack is at its end, or a getter threw: neither can come of a line that a source has written.
    const isDeep = error instanceof RangeError
    return { problem: `Not an envelope: it ${isDeep ? 'is nested too deep' : 'cannot be read'}.` }
  }
}

function isEnvelope(value: unknown): value is Envelope {
  return envelopeSchema.safeParse(value).success
}

/** A sentence for what a later version of the protocol wrote: a root says which it is of. */
function newerOf(value: unknown): string | null {
  const version = at(value, ['payload', 'protocol'])
  if (typeof version !== 'number' || version <= PROTOCOL) return null
  return `Written by version ${version} of the protocol; this Clewline reads up to ${PROTOCOL}. Use a newer one.`
}

const TYPES =
  'tool_start, tool_update, tool_end, llm_start, llm_token, llm_end, subgraph_checkpoint, subgraph_resume, warning, error'

function problemOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'Not an envelope: it is not an object.'
  const type: unknown = Reflect.get(value, 'type')
  if (type === undefined) return `Not an envelope: it has no "type". Known types: ${TYPES}.`
  const [issue] = envelopeSchema.safeParse(value).error?.issues ?? []
  if (typeof type !== 'string' || issue === undefined || issue.path[0] === 'type')
    return `Not an envelope: ${JSON.stringify(coerce(type, { text: 64 }))} is no type. Known types: ${TYPES}.`
  const path = issue.path.map(String).join('.')
  const isMissing = at(value, issue.path) === undefined
  return `Not a valid "${type}" envelope: "${path}" ${isMissing ? 'is missing' : `is ${reasonOf(issue)}`}.`
}

function reasonOf(issue: {
  readonly code?: string
  readonly expected?: unknown
  readonly values?: unknown
}): string {
  if (Array.isArray(issue.values)) return `not one of ${issue.values.join(', ')}`
  if (typeof issue.expected === 'string') return `not of type ${issue.expected}`
  return issue.code === 'too_small' ? 'too small' : 'not as the protocol says'
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found
}
