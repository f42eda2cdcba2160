import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { append, replaceLatest, replaceLatestBy, upsertBy } from './reducers.ts'
import { createSession } from './session.ts'
import { action, slice } from './slice.ts'
import { SnapshotRestoreError } from './snapshot.ts'

const Plan = slice('Plan', z.object({ goal: z.string() }))
const Note = slice('Note', z.object({ text: z.string() }), 'log')
const Count = slice('Count', z.number())
const Planned = action('Planned', z.object({ goal: z.string() }))

const planning = () =>
  createSession({ id: 's1', tags: { app: 'test' } })
    .register(Plan, Planned, append)
    .register(Note, Planned, (notes, { goal }) => [...notes, { text: goal }])

describe('reducers', () => {
  test('B26: they run in registration order, and one that throws leaves its slice while the others apply', () => {
    const order: string[] = []
    const session = createSession()
      .register(Plan, Planned, (values, plan) => (order.push('first'), [...values, plan]))
      .register(Plan, Planned, () => {
        order.push('second')
        throw new Error('no')
      })
      .register(Count, Planned, (values) => (order.push('third'), [...values, values.length]))
    const result = session.dispatch(Planned({ goal: 'x' }))
    expect(order).toEqual(['first', 'second', 'third'])
    expect(session.query(Plan).all()).toEqual([{ goal: 'x' }])
    expect(session.query(Count).all()).toEqual([0])
    expect(result).toMatchObject({ ok: false, handled: 3, errors: [{ slice: 'Plan' }] })
    expect(() => result.throwIfErrors()).toThrow(AggregateError)
  })

  test.each([
    [
      'append adds what is new',
      append,
      [{ k: 1, v: 'a' }],
      { k: 1, v: 'b' },
      [
        { k: 1, v: 'a' },
        { k: 1, v: 'b' },
      ],
    ],
    ['append drops what is equal', append, [{ k: 1, v: 'a' }], { v: 'a', k: 1 }, [{ k: 1, v: 'a' }]],
    [
      'upsertBy replaces in place',
      upsertBy(key),
      [
        { k: 1, v: 'a' },
        { k: 2, v: 'b' },
      ],
      { k: 1, v: 'c' },
      [
        { k: 1, v: 'c' },
        { k: 2, v: 'b' },
      ],
    ],
    [
      'upsertBy adds',
      upsertBy(key),
      [{ k: 1, v: 'a' }],
      { k: 2, v: 'b' },
      [
        { k: 1, v: 'a' },
        { k: 2, v: 'b' },
      ],
    ],
    [
      'replaceLatest keeps one',
      replaceLatest,
      [
        { k: 1, v: 'a' },
        { k: 2, v: 'b' },
      ],
      { k: 3, v: 'c' },
      [{ k: 3, v: 'c' }],
    ],
    [
      'replaceLatestBy keeps the newest of a key',
      replaceLatestBy(key),
      [
        { k: 1, v: 'a' },
        { k: 2, v: 'b' },
      ],
      { k: 1, v: 'c' },
      [
        { k: 2, v: 'b' },
        { k: 1, v: 'c' },
      ],
    ],
  ])('B27: %s', (_name, reducer, before, value, after) => {
    expect(reducer(before, value)).toEqual(after)
  })

  test('a reducer sees the other slices as they are when it runs', () => {
    const session = planning().register(Count, Planned, (_, _event, { session: view }) => [
      view.query(Plan).all().length,
    ])
    session.dispatch(Planned({ goal: 'a' }))
    session.dispatch(Planned({ goal: 'b' }))
    expect(session.query(Count).all()).toEqual([2])
  })

  test('an action refuses a payload that does not fit', () => {
    const broken: { goal: string } = JSON.parse('{"goal":1}')
    expect(() => Planned(broken)).toThrow('The payload of "Planned" does not fit')
  })

  test('a slice that is not registered, or registered twice under one name, is an error', () => {
    expect(() => createSession().query(Plan).all()).toThrow('The slice "Plan" is not registered.')
    const twin = slice('Plan', z.object({ other: z.string() }))
    expect(() => createSession({ slices: [Plan] }).add(twin)).toThrow('Two slices are named "Plan".')
  })
})

function key({ k }: { k: number; v: string }): number {
  return k
}

test('a list that was read cannot be changed in place, which would pass by the transaction', () => {
  const Count = slice('Count', z.number())
  const session = createSession({ slices: [Count] })
  session.seed(Count, [1])
  expect(() => Array.prototype.push.call(session.query(Count).all(), 2)).toThrow(TypeError)
  expect(session.query(Count).all()).toEqual([1])
})

test.each([undefined, 5, Promise.resolve([1])])('a reducer that returns %s has failed', (returned) => {
  const Count = slice('Count', z.number())
  const Counted = action('Counted', z.number())
  const session = createSession().register(Count, Counted, () => returned as never)
  session.seed(Count, [1])
  expect(session.dispatch(Counted(2)).errors).toMatchObject([
    { slice: 'Count', error: { message: 'A reducer of "Count" returned no list.' } },
  ])
  expect(session.query(Count).all()).toEqual([1])
})

describe('queries and direct writes', () => {
  test('latest, where, seed and clear', () => {
    const session = createSession({ slices: [Count] })
    expect(session.query(Count).latest()).toBeUndefined()
    session.seed(Count, [1, 2, 3])
    expect(session.query(Count).latest()).toBe(3)
    expect(session.query(Count).where((each) => each > 1)).toEqual([2, 3])
    session.clear(Count, (each) => each === 2)
    expect(session.query(Count).all()).toEqual([1, 3])
    session.reset()
    expect(session.query(Count).all()).toEqual([])
    expect(() => session.seed(Count, JSON.parse('["x"]'))).toThrow(
      'A value for the slice "Count" does not fit',
    )
  })

  test('B28: values of a schema go to the slice that has it, item by item, without doubles', () => {
    const session = createSession({ slices: [Plan, Count] })
    session.collect(Plan.schema, [{ goal: 'a' }, { goal: 'b' }, { goal: 'a' }])
    expect(session.query(Plan).all()).toEqual([{ goal: 'a' }, { goal: 'b' }])
    expect(session.query(Count).all()).toEqual([])
  })
})

describe('transactions', () => {
  test('what a transaction writes is seen inside at once and outside after it', async () => {
    const session = planning()
    await session.transaction((view) => {
      view.dispatch(Planned({ goal: 'a' }))
      expect(view.query(Plan).all()).toEqual([{ goal: 'a' }])
      expect(session.query(Plan).all()).toEqual([])
    })
    expect(session.query(Plan).all()).toEqual([{ goal: 'a' }])
  })

  test('a failed one takes back state and keeps logs', async () => {
    const session = planning()
    const failing = session.transaction(async (view) => {
      view.dispatch(Planned({ goal: 'a' }))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(session.query(Plan).all()).toEqual([])
    expect(session.query(Note).all()).toEqual([{ text: 'a' }])
  })

  test('parallel ones that touch the same slice both count', () => {
    const session = createSession().register(Count, action('add', z.number()), (values, n) => [
      (values[0] ?? 0) + n,
    ])
    const [one, two] = [session.begin(), session.begin()]
    one.session.dispatch({ type: 'add', payload: 1 })
    two.session.dispatch({ type: 'add', payload: 10 })
    two.commit()
    one.commit()
    expect(session.query(Count).all()).toEqual([11])
  })

  test('nested ones land in the one around them', () => {
    const session = planning()
    const outer = session.begin()
    const inner = outer.session.begin()
    inner.session.dispatch(Planned({ goal: 'a' }))
    inner.commit()
    expect(outer.session.query(Plan).all()).toEqual([{ goal: 'a' }])
    expect(session.query(Plan).all()).toEqual([])
    outer.rollback()
    expect(session.query(Plan).all()).toEqual([])
    expect(session.query(Note).all()).toEqual([{ text: 'a' }])
  })

  test('after its end a transaction refuses to write', () => {
    const session = planning()
    const over = session.begin('The call of tool "x"')
    over.commit()
    expect(() => over.session.dispatch(Planned({ goal: 'a' }))).toThrow(
      'The call of tool "x" is over: it cannot write to the session any more.',
    )
    expect(session.query(Note).all()).toEqual([])
  })
})

describe('snapshots', () => {
  test('B29: snapshot, JSON, restore gives equal state', () => {
    const session = planning()
    session.dispatch(Planned({ goal: 'a' }))
    const json = JSON.stringify(session.snapshot())
    const other = planning()
    other.restore(json)
    expect(other.query(Plan).all()).toEqual(session.query(Plan).all())
    expect(other.query(Note).all()).toEqual(session.query(Note).all())
    const parsed: unknown = JSON.parse(json)
    expect(parsed).toMatchObject({
      version: 1,
      sessionId: 's1',
      tags: { app: 'test', session_id: 's1' },
      slices: { Plan: [{ goal: 'a' }], Note: [{ text: 'a' }] },
    })
  })

  test.each([
    ['another version', { version: 2, slices: {} }, 'A snapshot of version 2 cannot be read.'],
    ['an unknown slice', { version: 1, slices: { Nope: [] } }, 'Slices not registered: Nope.'],
    ['bad JSON', '{', 'The snapshot is not JSON'],
    ['something else', 'null', 'This is not a snapshot of a session.'],
    [
      'a value that does not fit',
      { version: 1, slices: { Plan: [{ goal: 1 }] } },
      'Value 0 of the slice "Plan" does not fit',
    ],
  ])('B29: %s raises a SnapshotRestoreError', (_name, document, message) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    expect(() => planning().restore(text)).toThrow(SnapshotRestoreError)
    expect(() => planning().restore(text)).toThrow(message)
  })

  test('B30: a restore that fails changes nothing', () => {
    const session = planning()
    session.dispatch(Planned({ goal: 'a' }))
    const before = session.snapshot().slices
    const bad = JSON.stringify({ version: 1, slices: { Plan: [{ goal: 'z' }], Nope: [] } })
    expect(() => session.restore(bad)).toThrow(SnapshotRestoreError)
    expect(session.snapshot().slices).toEqual(before)
  })

  test('logs may be kept over a restore', () => {
    const session = planning()
    const empty = session.snapshot()
    session.dispatch(Planned({ goal: 'a' }))
    session.restore(empty, { keepLogs: true })
    expect(session.query(Plan).all()).toEqual([])
    expect(session.query(Note).all()).toEqual([{ text: 'a' }])
  })

  test('a value that JSON would change is found when the snapshot is taken', () => {
    const Moment = slice('Moment', z.any())
    const session = createSession({ slices: [Moment] })
    session.seed(Moment, [new Date()])
    expect(() => session.snapshot()).toThrow('Slice "Moment"[0] is not JSON')
  })
})

test('a fork starts from the same state and goes its own way', () => {
  const session = planning()
  session.dispatch(Planned({ goal: 'a' }))
  const fork = session.fork({ tags: { branch: 'b' } })
  fork.dispatch(Planned({ goal: 'b' }))
  expect(fork.query(Plan).all()).toEqual([{ goal: 'a' }, { goal: 'b' }])
  expect(session.query(Plan).all()).toEqual([{ goal: 'a' }])
  expect(fork.parent).toBe(session)
  expect(fork.tags).toEqual({ app: 'test', branch: 'b', parent_session_id: 's1', session_id: fork.id })
})
