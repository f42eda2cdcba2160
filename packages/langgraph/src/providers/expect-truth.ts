import { type Envelope, isRecord, type RawMessage } from '@clewline/core'
import { expect } from 'vitest'
import { messageFrom } from '../record/message-from.ts'
import { type Dialect, spokenBy } from './dialects.ts'
import type { Received } from './provider-server.ts'

type Asked = Extract<Envelope, { type: 'llm_start' }>['payload']

/** How an answer travels; no part of the question. */
const TRANSPORT = new Set(['stream', 'stream_options'])

/** In `params` for readers that do not ask for inputs; the provider gets those of the input. */
const SUMMARY = new Set(['provider', 'tools', 'tool_choice'])

export const askedIn = (envelopes: readonly Envelope[]): readonly Asked[] =>
  envelopes.flatMap((one) => (one.type === 'llm_start' ? [one.payload] : []))

/**
 * The record is the request: each body that the provider received can be made from one recorded model call, and the
 * other way round. Calls that run at once reach the provider in any order, so both sides are sorted.
 */
export async function expectTruth(
  dialect: Dialect,
  envelopes: readonly Envelope[],
  received: readonly Received[],
): Promise<void> {
  const bodies = received.map(({ body }) => without(body, (name) => TRANSPORT.has(name)))
  const recorded: unknown[] = []
  for (const asked of askedIn(envelopes)) recorded.push(await requestOf(dialect, asked))
  expect(sorted(recorded)).toEqual(sorted(bodies))
}

/** The body that the record says was sent: the conversation by the client's own conversion, all else as it stands. */
async function requestOf(dialect: Dialect, { params, input }: Asked): Promise<Record<string, unknown>> {
  if (input === undefined) throw new Error('A model call without its input.')
  const { conversation, common, placeFormat } = spokenBy(dialect)
  const { messages, response_format, ...question } = input
  const own = without(params, (name) => TRANSPORT.has(name) || SUMMARY.has(name) || common.includes(name))
  const wire = await bodyFor(dialect, messages)
  const body = { ...own, ...question, ...without(wire, (name) => !conversation.includes(name)) }
  return response_format === undefined ? body : placeFormat(response_format, body)
}

/** What the client makes of messages, taken at the door. */
async function bodyFor(dialect: Dialect, messages: readonly RawMessage[]): Promise<Record<string, unknown>> {
  const bodies: unknown[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    bodies.push(typeof init?.body === 'string' ? JSON.parse(init.body) : undefined)
    return Promise.reject(new Error('taken'))
  }
  await spokenBy(dialect)
    .client({ url: 'http://127.0.0.1:1', fetch })
    .invoke(messages.map(messageFrom))
    .catch((error: unknown) => {
      if (bodies.length === 0) throw error
    })
  const [body] = bodies
  return isRecord(body) ? body : {}
}

const without = (
  fields: Readonly<Record<string, unknown>>,
  isLeftOut: (name: string) => boolean,
): Record<string, unknown> => Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name)))

const sorted = (bodies: readonly unknown[]): readonly unknown[] =>
  bodies
    .map((body) => [key(body), body] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, body]) => body)

/** Keys in order, so that equal bodies have equal texts. */
const key = (value: unknown): string =>
  JSON.stringify(value, (_name, field: unknown) =>
    isRecord(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  ) ?? ''
