import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatGraph } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

/** Mostly what the schema says, sometimes anything: both must be answered properly. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(fitting))
  switch (schema.type ?? '') {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, field]) => [name, valueOf(field)] as const,
      )
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] })
    }
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { maxLength: 3 })
    case 'integer':
      return fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer())
    case 'number':
      return fc.oneof(fc.double({ min: 0, max: 1000, noNaN: true }), fc.double())
    case 'boolean':
      return fc.boolean()
    case 'string':
      // Names that exist, so that requests get past the first check.
      return fc.oneof(
        fc.constantFrom('t', 'chat', 'r', '* * * * *', 'UTC', 'true'),
        fc.string({ maxLength: 20 }),
      )
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

test('every reference of the document leads somewhere in it', async () => {
  const { call } = await startService({ agents: { chat: chatGraph() } })
  const { body: document } = await call('GET', '/openapi.json')
  const { schemas } = document['components'] as { schemas: Record<string, unknown> }
  const references = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? []
  expect(new Set(references)).toEqual(
    new Set(Object.keys(schemas).map((name) => `"$ref":"#/components/schemas/${name}"`)),
  )
  expect(schemas).toMatchObject({ Thread: { type: 'object' }, Problem: { type: 'object' } })
})

test(
  'requests made from the OpenAPI document, and near misses, never break the server',
  { timeout: 60_000 },
  async () => {
    const service = await startService({ agents: { chat: chatGraph(() => ({ text: 'hi' })) } })
    const { body: document } = await service.call('GET', '/openapi.json')
    expect(document).toMatchObject({ openapi: '3.1.0' })
    const paths = document['paths'] as Record<string, Record<string, Operation>>
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // It streams for ever, on purpose.
        .filter(() => path !== '/api/events')
        .map(([method, operation]) => ({ path, method, operation })),
    )
    expect(operations.length).toBeGreaterThan(20)
    const request = fc.constantFrom(...operations).chain(({ path, method, operation }) => {
      const named = operation.parameters.map((one) => [one.name, valueOf(one.schema)] as const)
      const body = Object.entries(operation.requestBody?.content ?? {})[0]
      return fc.record({
        path: fc.constant(path),
        method: fc.constant(method),
        known: fc.constant(operation),
        parameters: fc.record(Object.fromEntries(named)),
        body: body === undefined ? fc.constant(undefined) : valueOf(body[1].schema),
        type: fc.constant(body?.[0] ?? 'application/json'),
      })
    })
    await service.call('POST', '/api/threads', { thread_id: 't' })
    await fc.assert(
      fc.asyncProperty(request, async ({ path, method, known, parameters, body, type }) => {
        const url = new URL(
          `${service.url}${path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(asText(parameters[name])))}`,
        )
        for (const one of known.parameters) {
          const value = parameters[one.name]
          if (one.in === 'query' && value !== undefined) url.searchParams.set(one.name, asText(value))
        }
        if (url.pathname.endsWith('/events')) url.searchParams.set('follow', 'false')
        const response = await fetch(url, {
          method: method.toUpperCase(),
          headers: { 'content-type': type },
          ...(body === undefined || method === 'get' ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(10_000),
        })
        const text = await response.text()
        expect({ status: response.status < 500 || response.status === 503, text }).toEqual({
          status: true,
          text,
        })
        // An id of dots leads to another path, as addresses are read.
        const isHere = url.pathname.split('/').length === path.split('/').length
        if (isHere) expect(Object.keys(known.responses), url.href).toContain(String(response.status))
        if (response.status >= 400) expect(text).toMatch(/"code":"[a-z-]+"|"hint"|text\/event-stream|^$/)
      }),
      { numRuns: 300 },
    )
    expect((await service.call('GET', '/ok')).status).toBe(200)
  },
)

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
