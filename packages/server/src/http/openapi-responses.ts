import { type ClewlineErrorCode, HTTP_STATUS, type Json, type JsonObject } from '@clewline/core'
import type { z } from 'zod'
import { problemSchema } from './problem.ts'
import type { Route, RouteResponse } from './route.ts'

export type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => JsonObject

/** What a route answers, each status by itself: what it says of itself, and why it may refuse. */
export function responsesOf(route: Route, schemaOf: SchemaOf): JsonObject {
  const answers = Object.entries(route.answers).map(([status, response]): [string, Json] => {
    const content = contentOf(response, schemaOf)
    const { description } = response
    return [status, { description, ...(Object.keys(content).length === 0 ? {} : { content }) }]
  })
  return { ...refusalsOf(route, schemaOf), ...Object.fromEntries(answers) }
}

function contentOf({ schema, content, events, lines }: RouteResponse, schemaOf: SchemaOf): JsonObject {
  return {
    ...(schema && { 'application/json': { schema: schemaOf(schema, 'output') } }),
    ...(content !== undefined && { [content]: { schema: { type: 'string' } } }),
    ...(events && { 'text/event-stream': { schema: eventSchema(events, schemaOf) } }),
    ...(lines && { 'application/x-ndjson': { schema: jsonText(lines, schemaOf, 'A JSON value a line.') } }),
  }
}

/** OpenAPI 3.1 has no word for the items of a stream; by convention the schema is that of each event. */
function eventSchema(events: Readonly<Record<string, z.ZodType>>, schemaOf: SchemaOf): JsonObject {
  const anyOf = Object.entries(events).map(([event, schema]): JsonObject => {
    // An event without a name is a `message`.
    const isNamed = event !== 'message'
    return {
      type: 'object',
      required: isNamed ? ['event', 'data'] : ['data'],
      properties: {
        id: { type: 'string' },
        event: { const: event },
        data: jsonText(schema, schemaOf),
      },
    }
  })
  return { description: 'Each event of the stream.', anyOf }
}

function jsonText(schema: z.ZodType, schemaOf: SchemaOf, description?: string): JsonObject {
  return {
    type: 'string',
    ...(description !== undefined && { description }),
    contentMediaType: 'application/json',
    contentSchema: schemaOf(schema, 'output'),
  }
}

function refusalsOf(route: Route, schemaOf: SchemaOf): JsonObject {
  const byStatus = new Map<number, ClewlineErrorCode[]>()
  for (const code of new Set([...usualRefusals(route), ...(route.refusals ?? [])])) {
    const status = HTTP_STATUS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: `Refused: ${codes.map((code) => `\`${code}\``).join(' or ')}. \`hint\` says what to do.`,
        content: { 'application/json': { schema: schemaOf(problemSchema, 'output') } },
      },
    ]),
  )
}

/** What follows from the shape of a route. */
function usualRefusals({ path, params, query, body, rawBody }: Route): readonly ClewlineErrorCode[] {
  const isGuarded = /^\/(api|agui)\//.test(path)
  const hasBody = body !== undefined || rawBody !== undefined
  return [
    ...(hasBody || params !== undefined || query !== undefined ? (['bad-request'] as const) : []),
    ...(isGuarded || path === '/metrics' ? (['unauthorized'] as const) : []),
    // Of a page of another origin, or by a name that is not this server's.
    'forbidden',
    ...(params === undefined ? [] : (['not-found'] as const)),
    ...(hasBody ? (['too-large'] as const) : []),
    ...(isGuarded ? (['rate-limited'] as const) : []),
    'internal',
    'unavailable',
  ]
}
