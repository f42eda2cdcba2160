import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileOperation } from './file-operation.ts'
import { reduceFiles, refuseFilesUpdate } from './files-reducer.ts'

const write = (name: string, content: string, stamp: number): FileOperation => ({
  op: 'write',
  name,
  content,
  stamp,
})
const edit = (name: string, old: string, to: string, stamp: number): FileOperation => ({
  op: 'edit',
  name,
  old,
  new: to,
  all: false,
  stamp,
})

describe('refuseFilesUpdate', () => {
  it.each([
    [{ 'a.md': 'x', 'b.md': null }, undefined],
    [[write('a', '', 1), edit('a', 'x', 'y', 2), { op: 'delete', name: 'a', stamp: 3 }], undefined],
    ['text', 'Files are contents by name.'],
    [null, 'Files are contents by name.'],
    [{ 'a.md': 3 }, 'The content of a.md is not text.'],
    [
      { 'a/b.md': 'x' },
      'The file name "a/b.md" is a path, and the workspace has no directories. Use a flat name such as "b.md".',
    ],
    [[{ op: 'write', name: 'a', stamp: 1 }], 'Not every operation on files is well formed.'],
    [
      [{ op: 'edit', name: 'a', old: 'x', new: 1, all: true, stamp: 1 }],
      'Not every operation on files is well formed.',
    ],
    [[{ op: 'rename', name: 'a', stamp: 1 }], 'Not every operation on files is well formed.'],
    [[write('..', 'x', 1)], 'The file name ".." contains "..", which is not allowed.'],
  ])('says of %j: %s', (value, refusal) => {
    expect(refuseFilesUpdate(value)).toBe(refusal)
  })
})

describe('reduceFiles', () => {
  it('sets and deletes by plain contents', () => {
    expect(reduceFiles({ a: '1', b: '2' }, { a: null, c: '3' })).toEqual({ b: '2', c: '3' })
  })

  it('puts a write that arrives late where its stamp belongs', () => {
    const first = reduceFiles({ a: 'x' }, [edit('a', 'y', 'z', 2)])
    expect(reduceFiles(first, [edit('a', 'x', 'y', 1)])).toEqual({ a: 'z' })
  })

  it('forgets what it replayed when the superstep is over', async () => {
    const first = reduceFiles({ a: 'x' }, [edit('a', 'y', 'z', 2)])
    await Promise.resolve()
    expect(reduceFiles(first, [edit('a', 'x', 'y', 1)])).toMatchObject({ a: 'y' })
  })

  it('keeps an edit that fits nowhere in a file beside', () => {
    const first = reduceFiles({ a: 'x' }, [edit('a', 'x', 'left', 1)])
    const second = reduceFiles(first, [edit('a', 'x', 'right', 2)])
    expect(second['a']).toBe('left')
    expect(second['a.conflict']).toContain('right')
  })

  it('takes the new text of an edit as text', () => {
    expect(reduceFiles({ a: 'x' }, [edit('a', 'x', "$& $1 $'", 1)])).toEqual({ a: "$& $1 $'" })
  })

  it('does not pollute prototypes and reads only own names', () => {
    expect(reduceFiles({}, [write('constructor', 'mine', 1)])).toEqual({ constructor: 'mine' })
  })

  it('does not depend on the order in which the writes of a superstep arrive', () => {
    const operations = fc.array(
      fc.oneof(
        fc.record({
          op: fc.constant('write' as const),
          name: fc.constantFrom('a', 'b'),
          content: fc.stringMatching(/^[xyz]{0,4}$/),
        }),
        fc.record({
          op: fc.constant('edit' as const),
          name: fc.constantFrom('a', 'b'),
          old: fc.constantFrom('x', 'y', 'xy'),
          new: fc.constantFrom('z', 'zz', ''),
          all: fc.boolean(),
        }),
        fc.record({ op: fc.constant('delete' as const), name: fc.constantFrom('a', 'b') }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(
        operations,
        fc.infiniteStream(fc.nat({ max: 3 })),
        fc.infiniteStream(fc.nat()),
        (changes, tasks, order) => {
          const stamped = changes.map((change, index): FileOperation => ({ ...change, stamp: index + 1 }))
          const byTask = groupBy(stamped, () => tasks.next().value)
          const updates = [...byTask.values()]
          const shuffled = updates
            .map((update) => ({ update, at: order.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ update }) => update)
          const base = { a: 'xyx', b: 'y' }
          const fold = (all: readonly FileOperation[][]) => all.reduce(reduceFiles, { ...base })
          expect(fold(shuffled)).toEqual(fold([stamped]))
        },
      ),
      { numRuns: 500 },
    )
  })
})

function groupBy<T>(items: readonly T[], key: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const group = key(item)
    groups.set(group, [...(groups.get(group) ?? []), item])
  }
  return groups
}
