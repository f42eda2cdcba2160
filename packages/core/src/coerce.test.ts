import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coerce } from './coerce.ts'

class Point {
  x = 1
  _secret = 'hidden'
  move = () => {}
}

class HumanMessage {
  content = 'hi'
  id = 'm1'
  name = undefined
  additional_kwargs = {}
  lc_kwargs = { content: 'hi' }
  lc_namespace = ['langchain_core', 'messages']
  getType() {
    return 'human'
  }
  toJSON() {
    return { lc: 1, type: 'constructor' }
  }
}

class Model {
  model_dump() {
    return { from: 'model_dump', at: new Date(0) }
  }
}

class Broken {
  field = 1
  toJSON() {
    throw new Error('no')
  }
}

class Endless {
  toJSON() {
    return { next: new Endless() }
  }
}

const cycle: Record<string, unknown> = { name: 'a' }
cycle['self'] = { again: cycle }

const revoked = Proxy.revocable({}, {})
revoked.revoke()

const thrower = {
  good: 1,
  get bad() {
    throw new Error('boom')
  },
}

const failure = new TypeError('outer', { cause: new Error('inner') })
failure.stack = 'stack'
Reflect.set(failure.cause as Error, 'stack', 'stack')
const shared = { n: 1 }

function nested(depth: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { value }
  return value
}

describe('coerce', () => {
  test.each<[string, unknown, unknown]>([
    ['text', 'a', 'a'],
    ['a number', 1.5, 1.5],
    ['minus zero', -0, 0],
    ['not a number', NaN, 'NaN'],
    ['infinity', -Infinity, '-Infinity'],
    ['nothing', null, null],
    ['undefined', undefined, null],
    ['a function', () => 1, null],
    ['a big integer', 2n ** 70n, '1180591620717411303424'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a plain object', { a: [1, { b: true }] }, { a: [1, { b: true }] }],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['fields that hold functions or undefined', { a: 1, f: () => 1, u: undefined }, { a: 1 }],
    ['items that are functions or undefined', [() => 1, undefined, 1], [null, null, 1]],
    // eslint-disable-next-line no-sparse-arrays -- holes are what is tested
    ['an array with holes', [1, , 2], [1, null, 2]],
    ['fields that begin with an underscore', { _a: 1 }, { _a: 1 }],
    ['a key that would set the prototype', JSON.parse('{"__proto__": {"a": 1}, "b": 2}'), { b: 2 }],
    ['a cycle', cycle, { name: 'a', self: { again: '[cycle]' } }],
    ['one object seen twice', [shared, shared], [{ n: 1 }, { n: 1 }]],
    ['a getter that throws', thrower, { good: 1, bad: '[unreadable: boom]' }],
    ['a map with text keys', new Map([['a', new Set([1])]]), { a: [1] }],
    ['a map with other keys', new Map([[1, 'x']]), [[1, 'x']]],
    ['a set', new Set(['a', 'b']), ['a', 'b']],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(NaN), 'Invalid Date'],
    ['a typed array', new Float32Array([1, 2]), [1, 2]],
    ['a typed array of big integers', new BigInt64Array([1n]), ['1']],
    ['bytes that are text', new TextEncoder().encode('grüß'), 'grüß'],
    ['other bytes', new Uint8Array([0xff, 0xfe]), 'data:application/octet-stream;base64,//4='],
    ['a buffer', new TextEncoder().encode('x').buffer, 'x'],
    ['a view of a buffer', new DataView(new Uint8Array([0x61, 0x62, 0x63]).buffer, 1), 'bc'],
    ['a regular expression', /a+/g, '/a+/g'],
    ['an address', new URL('https://example.org/a'), 'https://example.org/a'],
    ['a promise', Promise.resolve(1), '[promise]'],
    ['a boxed text', Object('boxed'), 'boxed'],
    [
      'an error with its cause, and without stacks',
      failure,
      {
        name: 'TypeError',
        message: 'outer',
        cause: { name: 'Error', message: 'inner' },
      },
    ],
    ['an object of a class', new Point(), { x: 1 }],
    ['a LangChain message', new HumanMessage(), { type: 'human', content: 'hi', id: 'm1' }],
    ['a class with model_dump', new Model(), { from: 'model_dump', at: '1970-01-01T00:00:00.000Z' }],
    ['a class whose toJSON throws', new Broken(), { field: 1 }],
    ['a plain object with toJSON', { toJSON: () => [1] }, [1]],
    [
      'a class whose to_json gives text',
      new (class A {
        to_json = () => '{"a":1}'
      })(),
      { a: 1 },
    ],
    [
      'a revoked proxy',
      { p: revoked.proxy },
      { p: "[unreadable: Cannot perform 'IsArray' on a proxy that has bee]" },
    ],
    ['a proxy', new Proxy({ a: 1 }, {}), { a: 1 }],
  ])('of %s', (_, value, expected) => {
    expect(coerce(value)).toEqual(expected)
  })

  test('copies, so that a later change is not seen', () => {
    const state = { files: { a: 'old' } }
    const said = coerce(state)
    state.files.a = 'new'
    expect(said).toEqual({ files: { a: 'old' } })
  })

  test('cuts no text, no bytes and no long list by itself', () => {
    const text = 'x'.repeat(100_000_000)
    expect(coerce({ text })).toEqual({ text })
    const bytes = new Uint8Array(12_000_000).fill(0xff)
    expect(coerce(bytes)).toHaveLength('data:application/octet-stream;base64,'.length + 16_000_000)
    expect(coerce(Array.from({ length: 100_000 }, (_, i) => i))).toHaveLength(100_000)
  })

  test('marks what is too long, and stays within the bound', () => {
    const said = coerce('x'.repeat(100_000_000), { text: 1_048_576 }) as string
    expect(said.length).toBeLessThanOrEqual(1_048_576)
    expect(said.length).toBeGreaterThan(1_048_000)
    expect(said).toMatch(/x…\[cut: \d+ characters\]$/)
  })

  test('is not filled by a getter that makes up a text each time', () => {
    const text = 'x'.repeat(50_000_000)
    const said = coerce(Array.from({ length: 20 }, () => text)) as string[]
    expect(said.join('').length).toBeLessThan(2 ** 28)
    expect(said.at(-1)).toMatch(/^\[cut: \d+ items\]$/)
  })

  test('does not cut a character in half', () => {
    const said = coerce('😀'.repeat(100), { text: 65 }) as string
    expect(said).toMatch(/😀…/u)
    expect(said).not.toMatch(/[\ud800-\udfff]/u)
  })

  test('marks what is too deep, 10,000 levels down and in an object that never ends', () => {
    expect(JSON.stringify(coerce(nested(10_000)))).toContain('[cut: too deep]')
    expect(JSON.stringify(coerce(new Endless()))).toContain('[cut: too deep]')
  })

  test('marks what is too broad', () => {
    expect(coerce([1, 2, 3, 4], { breadth: 3 })).toEqual([1, 2, '[cut: 2 items]'])
    expect(coerce({ a: 1, b: 2, c: 3 }, { breadth: 2 })).toEqual({ a: 1, '[cut]': '2 keys' })
    expect(coerce(new Float64Array(1e6), { breadth: 2 })).toEqual([0, '[cut: 999999 items]'])
  })

  test('marks what is too many in all, at each level that it cuts', () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ i }))
    const said = JSON.stringify(coerce({ rows, last: 1 }, { count: 500 }))
    expect(said.match(/"i"/g)!.length).toBeGreaterThan(200)
    expect(said).toMatch(/\[cut: \d+ items\]"\],"\[cut\]":"1 keys"\}$/)
  })

  test('marks what is too much in all, at each level that it cuts', () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ text: 'y'.repeat(100), i }))
    const said = JSON.stringify(coerce({ rows, last: 1 }, { total: 20_000 }))
    expect(said.length).toBeLessThan(20_000)
    expect(said.length).toBeGreaterThan(10_000)
    expect(said).toMatch(/\[cut: \d+ items\]"\],"\[cut\]":"1 keys"\}$/)
  })

  test('is not trapped by a proxy that invents fields for ever', () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`)
    const endless: object = new Proxy(
      {},
      {
        ownKeys: () => keys,
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
        get: (_, key) => (key === 'toJSON' ? undefined : endless2()),
      },
    )
    function endless2(): object {
      return new Proxy(endless, {})
    }
    expect(JSON.stringify(coerce(endless)).length).toBeLessThan(10_000_000)
  })
})

const limits = fc.record({
  depth: fc.integer({ min: 1, max: 6 }),
  breadth: fc.integer({ min: 1, max: 6 }),
  count: fc.integer({ min: 1, max: 60 }),
  text: fc.integer({ min: 1, max: 100 }),
  total: fc.integer({ min: 1, max: 2000 }),
})

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})

describe('whatever it is given, coerce', () => {
  test('never throws, gives JSON that survives a round trip, and coercing twice changes nothing', () => {
    fc.assert(
      fc.property(anything, fc.option(limits, { nil: undefined }), (value, bounds) => {
        const said = coerce(value, bounds)
        expect(JSON.parse(JSON.stringify(said))).toStrictEqual(said)
        expect(coerce(said, bounds)).toStrictEqual(said)
      }),
      { numRuns: 2000 },
    )
  })

  test('leaves JSON that is within the bounds as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value))
        fc.pre(!JSON.stringify(json).includes('__proto__'))
        expect(coerce(json)).toStrictEqual(json)
      }),
    )
  })
})
