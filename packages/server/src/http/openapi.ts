import type { Json, JsonObject } from '@clewline/core'
import { z } from 'zod'
import { problemSchema } from './problem.ts'
import type { RouteResponses, Route } from './route.ts'

/** An OpenAPI 3.1 document, made of the schemas that check the requests. */
export function openapi(routes: readonly Route[], version: string, basePath: string): JsonObject {
  const schemas: Record<string, Json> = {}
  const schemaOf = schemasInto(schemas)
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method] = operation(route, schemaOf)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clewline',
      version,
      description: 'Threads, runs and crons of agents, and the durable log of what they do.',
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    // Asked for only where the server was started with a token or `authenticate`.
    security: [{}, { token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => JsonObject

/** Schemas as JSON Schema; the parts that have an `id` go to `shared`, where the references lead. */
function schemasInto(shared: Record<string, Json>): SchemaOf {
  return (schema, io) => {
    const { $schema: _dialect, $defs = {}, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    Object.assign(shared, jsonOf($defs))
    return jsonOf(shape)
  }
}

function operation(route: Route, schemaOf: SchemaOf): JsonObject {
  const body = requestBody(route, schemaOf)
  return {
    summary: route.summary,
    tags: [route.tag],
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...responses(route.answers, schemaOf), default: refused(schemaOf) },
  }
}

function requestBody({ body, rawBody }: Route, schemaOf: SchemaOf): JsonObject | null {
  if (rawBody !== undefined) {
    const { type, schema } = rawBody
    const shape: JsonObject = schema === undefined ? { type: 'string' } : schemaOf(schema, 'input')
    return { required: true, content: { [type]: { schema: shape } } }
  }
  if (body === undefined) return null
  // No body is an empty object.
  const required = !body.safeParse({}).success
  return { required, content: { 'application/json': { schema: schemaOf(body, 'input') } } }
}

function refused(schemaOf: SchemaOf): Json {
  return {
    description: 'Refused; `code` and `hint` say why and what to do.',
    content: { 'application/json': { schema: schemaOf(problemSchema, 'output') } },
  }
}

function parameters(place: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: jsonOf(property),
  }))
}

function responses(answers: RouteResponses, schemaOf: SchemaOf): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, content }]) => {
      const types = content ?? (schema === undefined ? [] : ['application/json'])
      const shape: JsonObject = schema === undefined ? { type: 'string' } : schemaOf(schema, 'output')
      const media = Object.fromEntries(types.map((type: string) => [type, { schema: shape }]))
      return [status, { description, ...(types.length === 0 ? {} : { content: media }) }]
    }),
  )
}

/** As JSON, with its references pointing into the document. */
function jsonOf(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/'))
}
