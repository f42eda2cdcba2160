import type { Json, JsonObject } from '@skein/core'
import { z } from 'zod'
import { problemSchema } from './problem.ts'
import type { Answers, Route } from './route.ts'

/** An OpenAPI 3.1 document, made of the schemas that check the requests. */
export function openapi(routes: readonly Route[], version: string, basePath: string): JsonObject {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method] = operation(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Skein',
      version,
      description: 'Threads, runs and crons of agents, and the durable log of what they do.',
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    components: {
      schemas: { Problem: schemaOf(problemSchema, 'output') },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operation(route: Route): JsonObject {
  const body = route.body === undefined ? null : schemaOf(route.body, 'input')
  return {
    summary: route.summary,
    tags: [route.tag],
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(route.rawBody === undefined
      ? {}
      : { requestBody: { required: true, content: { [route.rawBody]: { schema: { type: 'string' } } } } }),
    responses: { ...responses(route.answers), default: refused },
  }
}

const refused: Json = {
  description: 'Refused; `code` and `hint` say why and what to do.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
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

function responses(answers: Answers): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, content }]) => {
      const types = content ?? (schema === undefined ? [] : ['application/json'])
      const shape: JsonObject = schema === undefined ? { type: 'string' } : schemaOf(schema, 'output')
      const media = Object.fromEntries(types.map((type: string) => [type, { schema: shape }]))
      return [status, { description, ...(types.length === 0 ? {} : { content: media }) }]
    }),
  )
}

/** Inlined, so that every operation can be read by itself. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const {
    $schema: _dialect,
    $defs: _shared,
    ...shape
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ jsonSchema }) => void delete jsonSchema.id,
  })
  return jsonOf(shape)
}

function jsonOf(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value))
}
