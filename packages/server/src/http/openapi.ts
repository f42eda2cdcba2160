import type { Json, JsonObject } from '@clewline/core'
import { z } from 'zod'
import { responsesOf, type SchemaOf } from './openapi-responses.ts'
import type { Route } from './route.ts'

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

/** Schemas as JSON Schema; the parts that have an `id` go to `shared`, where the references lead. */
function schemasInto(shared: Record<string, Json>): SchemaOf {
  return (schema, io) => {
    const { $schema: _dialect, $defs = {}, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [name, part] of Object.entries($defs)) {
      // A part that came as JSON Schema brings its own.
      const { $schema: _own, $defs: inner = {}, ...rest } = part
      Object.assign(shared, jsonOf(inner), { [name]: jsonOf(rest) })
    }
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
    responses: responsesOf(route, schemaOf),
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

/** As JSON, with its references pointing into the document. */
function jsonOf(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/'))
}
