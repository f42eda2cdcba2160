import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileChange, FileOperation, Files } from './file-operation.ts'
import { reduceFiles } from './files-reducer.ts'
import { createWorkspace } from './workspace.ts'

const name = fc.constantFrom('a', 'b', 'constructor', 'toString', 'e\u0301', '😀.md', 'a.conflict')
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', 'x', 'xx', 'x\r\ny\r\n', '$&', '\u0000'),
)
const change: fc.Arbitrary<FileChange> = fc.oneof(
  fc.record({ op: fc.constant('write' as const), name, content: text }),
  fc.record({
    op: fc.constant('edit' as const),
    name,
    old: fc.constantFrom('x', 'xx', '\r\n', '$&'),
    new: text,
    all: fc.boolean(),
  }),
  fc.record({ op: fc.constant('delete' as const), name }),
)
const owner = fc.constantFrom('', 'one', 'one/deeper', 'two', 'three')
const superstep = fc.array(fc.record({ change, owner }), { maxLength: 12 })

/** What the tasks of the superstep hand over: the work of one sub-agent at once, that of the main agent call by call. */
function updatesOf(files: Files, commits: readonly { change: FileChange; owner: string }[]) {
  const workspace = createWorkspace(files)
  const own: FileOperation[][] = []
  for (const { change: wanted, owner: who } of commits) {
    const operation = workspace.commit(wanted, who)
    if (operation !== undefined && who === '') own.push([operation])
  }
  const delegated = ['one', 'two', 'three'].map((who) => workspace.operationsOf(who))
  return { workspace, updates: [...own, ...delegated].filter((update) => update.length > 0) }
}

describe('a workspace', () => {
  it('and the state agree after every superstep, in whatever order its tasks hand over their work', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, text, { noNullPrototype: true }),
        fc.array(superstep, { maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        async (base, supersteps, order) => {
          let files: Files = base
          for (const commits of supersteps) {
            const { workspace, updates } = updatesOf(files, commits)
            const shuffled = updates
              .map((update) => ({ update, at: order.next().value }))
              .sort((a, b) => a.at - b.at)
              .map(({ update }) => update)
            files = shuffled.reduce(reduceFiles, files)
            expect(files).toEqual(workspace.snapshot())
            expect(workspace.size()).toBe(Object.values(files).join('').length)
            // A write that LangGraph hands over again changes nothing.
            for (const update of shuffled) expect(reduceFiles(files, update)).toEqual(files)
            await Promise.resolve()
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('counts what agents below an agent did as its own, and nobody else’s', () => {
    const workspace = createWorkspace({})
    for (const who of ['one', 'one/deeper', 'one-more', 'two']) {
      workspace.commit({ op: 'write', name: who.replace('/', '-'), content: who }, who)
    }
    expect(workspace.operationsOf('one').map((operation) => operation.name)).toEqual(['one', 'one-deeper'])
  })
})
