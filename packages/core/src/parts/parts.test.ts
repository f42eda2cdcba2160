import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Envelope, LlmStart, RawMessage } from '../envelope.ts'
import type { Json } from '../json.ts'
import { createInterner, type Interned } from './intern.ts'
import { partHash } from './part-hash.ts'
import { createResolver } from './resolve.ts'

const head = {
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
} as const

const toolEnd = (result: Json): Envelope => ({
  type: 'tool_end',
  ...head,
  payload: { tool_name: 'search', result, status: 'ok' },
})

const asked = (messages: readonly RawMessage[], tools?: readonly Json[]): LlmStart => ({
  type: 'llm_start',
  ...head,
  payload: { model: 'm', params: {}, input: { messages, ...(tools !== undefined && { tools }) } },
})

const says = (type: string, content: Json): RawMessage => ({ type, content })

/** A log of its own: what it was given, and how to read it again. */
function createLog() {
  const intern = createInterner()
  const known = new Set<string>()
  const lines: string[] = []
  const resolver = createResolver()
  return {
    lines,
    write(envelope: Envelope): Interned {
      const interned = intern(envelope, (hash) => known.has(hash) || known.add(hash) === undefined)
      for (const { hash, json } of interned.parts) lines.push(`{"part":"${hash}","value":${json}}`)
      lines.push(JSON.stringify(interned.envelope))
      return interned
    },
    readAll(): Envelope[] {
      return lines.flatMap((line) => {
        const value = JSON.parse(line)
        if (value.part === undefined) return resolver.resolve(value)
        expect(partHash(JSON.stringify(value.value))).toBe(value.part)
        resolver.define(value)
        return []
      })
    },
    bytes: () => lines.join('\n').length,
  }
}

test('whatever is written is read again, also what looks like a reference', () => {
  const text = fc.oneof(fc.string(), fc.string({ minLength: 256, maxLength: 300 }))
  const key = fc.oneof(fc.constantFrom('$part', '$list', '$$part', 'messages', 'prev', 'items'), fc.string())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.array(tie('value'), { minLength: 4 }),
      fc.dictionary(key, tie('value')),
    ),
  }))
  const property = fc.property(fc.array(value, { maxLength: 5 }), (values) => {
    const log = createLog()
    // As JSON has it: fast-check makes objects without a prototype, and -0.
    const results: Json[] = JSON.parse(JSON.stringify(values))
    for (const result of results) {
      log.write(toolEnd(result))
      log.write(asked([says('human', result), says('ai', result)], [result]))
    }
    const written = results.flatMap((one) => [
      toolEnd(one),
      asked([says('human', one), says('ai', one)], [one]),
    ])
    expect(log.readAll()).toEqual(written)
  })
  fc.assert(property)
})

test('a large text is written once, however often it is said', () => {
  const log = createLog()
  const image = 'x'.repeat(100_000)
  for (let i = 0; i < 20; i++) log.write(toolEnd([{ type: 'image', data: image, i }]))
  expect(log.bytes()).toBeLessThan(100_000 + 20 * 400)
  expect(log.readAll()[19]).toEqual(toolEnd([{ type: 'image', data: image, i: 19 }]))
})

test('a small envelope is written as it is', () => {
  const envelope = toolEnd({ found: 3 })
  expect(createInterner()(envelope, () => false)).toEqual({ envelope, parts: [] })
})

/** A conversation in which each turn sends everything that was said before, and one message more. */
function conversation(
  turns: number,
  from: (turn: number) => RawMessage = (turn) => says('human', `Question ${turn}?`),
) {
  const log = createLog()
  const tools = [{ name: 'search', description: 'Looks things up. '.repeat(20), schema: { type: 'object' } }]
  const messages: RawMessage[] = [says('system', 'You are helpful.')]
  for (let turn = 0; turn < turns; turn++) {
    messages.push(from(turn))
    log.write(asked([...messages], tools))
    messages.push(says('ai', `Answer ${turn}. ${'Because. '.repeat(40)}`))
  }
  return log
}

test('a conversation of twice as many turns makes a log of twice the size', () => {
  expect(conversation(200).bytes() / conversation(100).bytes()).toBeLessThan(2.05)
})

test('a state that holds the conversation shares its messages with what the model was asked', () => {
  const log = createLog()
  const messages = Array.from({ length: 20 }, (_, i) => says('human', `Message ${i}`))
  log.write(asked(messages))
  const before = log.bytes()
  log.write(toolEnd({ output: { messages } }))
  expect(log.bytes() - before).toBeLessThan(400)
  expect(log.readAll()[1]).toEqual(toolEnd({ output: { messages } }))
})

test('what a model was asked is read again, whole, at each call', () => {
  const read = conversation(50).readAll()
  const last = read.at(-1)
  expect(last?.type === 'llm_start' && last.payload.input?.messages).toHaveLength(100)
  expect(read[0]?.type === 'llm_start' && read[0].payload.input?.messages).toEqual([
    says('system', 'You are helpful.'),
    says('human', 'Question 0?'),
  ])
})

test('another process that knows the parts of the log writes the same references', () => {
  const known = new Set<string>()
  const claim = (hash: string): boolean => known.has(hash) || known.add(hash) === undefined
  const messages = [says('system', 'Be brief.'), says('human', 'Why? '.repeat(100))]
  const first = createInterner()(asked(messages), claim)
  const again = createInterner()(asked(structuredClone(messages)), claim)
  expect(first.parts).toHaveLength(3)
  expect(again).toEqual({ envelope: first.envelope, parts: [] })
})

test('a reader that joins late is told which parts it lacks, and can go on once it has them', () => {
  const log = conversation(3)
  const lines = log.lines.map((line) => JSON.parse(line))
  const parts = new Map<string, unknown>(
    lines.flatMap((line) => (line.part === undefined ? [] : [[line.part, line]])),
  )
  const late = createResolver()
  const envelope = lines.at(-1)
  const asks: number[] = []
  for (let missing = late.missing(envelope); missing.length > 0; missing = late.missing(envelope)) {
    asks.push(missing.length)
    for (const hash of missing) late.define(parts.get(hash) as Parameters<typeof late.define>[0])
  }
  expect(late.resolve(envelope)).toEqual(log.readAll().at(-1))
  expect(asks.length).toBeGreaterThan(1)
})

test.each<[string, Json, readonly { part: string; value: Json }[]]>([
  ['a part that is missing', { $part: 'h' }, []],
  ['a reference that is no hash', { $part: 7 }, []],
  ['a list that is none', { $list: 'h' }, [{ part: 'h', value: 'text' }]],
  ['a list without a beginning', { $list: 'h' }, [{ part: 'h', value: { prev: 'h', items: [] } }]],
  ['a part within itself', { $part: 'h' }, [{ part: 'h', value: [{ $part: 'h' }, { $part: 'h' }] }]],
])('%s is refused', (_name, result, parts) => {
  const resolver = createResolver()
  for (const part of parts) resolver.define(part)
  const stored = {
    ...head,
    type: 'tool_end' as const,
    payload: { tool_name: 'search', result, status: 'ok' },
  }
  expect(() => resolver.resolve(stored)).toThrow(expect.objectContaining({ code: 'bad-file' }))
})

test('a few lines that stand for terabytes are refused before anything is made of them', () => {
  const long = 'x'.repeat(1000)
  const resolver = createResolver({ maxLength: 1_000_000 })
  resolver.define({ part: 'text', value: long })
  resolver.define({ part: 'many', value: Array.from({ length: 1000 }, () => ({ $part: 'text' })) })
  resolver.define({
    part: 'list',
    value: { prev: null, items: Array.from({ length: 1000 }, () => ({ $part: 'many' })) },
  })
  const stored = (result: Json) => ({
    ...head,
    type: 'tool_end' as const,
    payload: { tool_name: 'search', result, status: 'ok' },
  })
  for (const result of [{ $part: 'many' }, { $list: 'list' }, [{ $list: 'list' }]]) {
    expect(() => resolver.resolve(stored(result))).toThrow('stands for more than 1000000 characters')
  }
  expect(resolver.resolve(stored({ $part: 'text' })).payload).toMatchObject({ result: long })
})

test('a list of ten thousand messages neither exhausts the stack nor grows quadratically', () => {
  const messages = Array.from({ length: 10_000 }, (_, i) => says('human', `${i}`))
  const log = createLog()
  log.write(asked(messages))
  log.write(asked([...messages, says('human', 'more')]))
  expect(log.lines).toHaveLength(10_000 + 1 + 2)
  expect(log.readAll()[1]).toEqual(asked([...messages, says('human', 'more')]))
})
