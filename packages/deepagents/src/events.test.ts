import { verify } from '@clewline/core/check'
import { type Envelope } from '@clewline/core'
import { fromGraph } from '@clewline/langgraph'
import { recordRun } from '@clewline/langgraph/testing'
import { describe, expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import type { SubAgent } from './sub-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const go = (files: Record<string, string> = {}) =>
  ({ kind: 'input', input: { messages: [{ role: 'user', content: 'go' }], files } }) as const
const task = (description: string, subagent_type: string): Call => ({
  name: 'task',
  id: `task_${description}`,
  args: { description, subagent_type },
})

type Start = Extract<Envelope, { type: 'tool_start' }>
const startsIn = (envelopes: readonly Envelope[]): Start[] =>
  envelopes.filter((envelope): envelope is Start => envelope.type === 'tool_start')

/** Names of the calls around an envelope, outermost first, as readers show them: without the nodes that wrap them. */
function pathOf(envelope: Envelope, envelopes: readonly Envelope[]): string[] {
  const starts = new Map(startsIn(envelopes).map((start) => [start.call_id, start]))
  const path: string[] = []
  let at: string | null = envelope.call_id
  while (at !== null) {
    const start: Start | undefined = starts.get(at)
    if (start !== undefined && start.payload.kind !== 'node')
      path.unshift(`${start.payload.kind}:${start.payload.meta?.tool_call_id ?? start.payload.tool_name}`)
    at = start === undefined ? (at === envelope.call_id ? envelope.parent_id : null) : start.parent_id
  }
  return path
}

describe('the events of a deep agent', () => {
  it('show each change of plan and files at the call that made it, while it is at work', async () => {
    const server = await serve(({ turn }) => {
      if (turn === 0)
        return [{ name: 'write_todos', id: 'plan', args: { todos: [{ content: 'x', status: 'pending' }] } }]
      if (turn > 1) return 'done'
      return [
        { name: 'write_file', id: 'new', args: { file_path: 'n.md', content: 'new' } },
        { name: 'edit_file', id: 'edit', args: { file_path: 'a.md', old_string: 'one', new_string: '1' } },
        { name: 'delete_file', id: 'gone', args: { file_path: 'b.md' } },
      ]
    })
    const agent = createDeepAgent({ instructions: 'x', model: server.openai(), name: 'main' })
    const { envelopes, outcome } = await recordRun(fromGraph(agent), go({ 'a.md': 'one', 'b.md': 'two' }))
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    const updates = envelopes.flatMap((envelope) =>
      envelope.type === 'tool_update' ? [[pathOf(envelope, envelopes).at(-1), envelope.payload.delta]] : [],
    )
    expect(Object.fromEntries(updates)).toEqual({
      'tool:plan': { todos: [{ content: 'x', status: 'pending' }] },
      'tool:new': { files: { added: { 'n.md': 'new' } } },
      'tool:edit': { files: { changed: { 'a.md': '1' } } },
      'tool:gone': { files: { removed: ['b.md'] } },
    })
    expect(updates).toHaveLength(4)
  })

  it('attribute fifty sub-agents of one turn', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
    const server = await serve(({ user, turn }) => {
      if (user === 'go') return turn === 0 ? names.map((name) => task(name, 'general-purpose')) : 'all done'
      if (turn > 0) return `finished ${user}`
      return [{ name: 'write_file', id: `write_${user}`, args: { file_path: `${user}.md`, content: user } }]
    })
    const agent = createDeepAgent({ instructions: 'x', model: server.openai(), name: 'main' })
    const source = fromGraph(agent)
    const { envelopes, outcome, thread_id } = await recordRun(source, go())
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    const subagents = startsIn(envelopes).filter((start) => start.payload.kind === 'subagent')
    expect(subagents.map((start) => String(start.payload.meta?.tool_call_id)).sort()).toEqual(
      names.map((name) => `task_${name}`).sort(),
    )
    for (const envelope of envelopes) {
      if (envelope.type !== 'tool_update' || envelope.payload.delta?.files === undefined) continue
      const [, subagent, write] = pathOf(envelope, envelopes)
      const [name] = Object.values(envelope.payload.delta.files.added ?? {})
      expect([subagent, write]).toEqual([`subagent:task_${name}`, `tool:write_${name}`])
      expect(envelope.agent).toBe('general-purpose')
    }
    const state = await source.state?.({ thread_id, checkpointer: undefined })
    expect(state?.values).toMatchObject({
      files: Object.fromEntries(names.map((name) => [`${name}.md`, name])),
    })
  })

  it('attribute agents three levels deep, and merge what the deepest wrote', async () => {
    const deepest: SubAgent = { name: 'third', description: '3', prompt: 'Third.' }
    const middle: SubAgent = { name: 'second', description: '2', prompt: 'Second.', subagents: [deepest] }
    const first: SubAgent = { name: 'first', description: '1', prompt: 'First.', subagents: [middle] }
    const server = await serve(({ user, turn }) => {
      if (turn > 0) return `finished ${user}`
      if (user === 'go') return [task('A', 'first'), task('X', 'first')]
      if (user === 'A' || user === 'X') return [task(`${user}B`, 'second')]
      if (user.endsWith('B')) return [task(`${user}C`, 'third')]
      return [
        {
          name: 'edit_file',
          id: `edit_${user}`,
          args: { file_path: 'a.md', old_string: user, new_string: 'done' },
        },
      ]
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.openai(),
      name: 'main',
      subagents: [first],
    })
    const source = fromGraph(agent)
    const { envelopes, outcome, thread_id } = await recordRun(source, go({ 'a.md': 'ABC XBC' }))
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    const edits = envelopes.filter((envelope) => envelope.type === 'tool_update')
    expect(edits.map((envelope) => pathOf(envelope, envelopes).join(' ')).sort()).toEqual([
      'graph:main subagent:task_A subagent:task_AB subagent:task_ABC tool:edit_ABC',
      'graph:main subagent:task_X subagent:task_XB subagent:task_XBC tool:edit_XBC',
    ])
    expect(edits.map((envelope) => envelope.agent)).toEqual(['third', 'third'])
    const state = await source.state?.({ thread_id, checkpointer: undefined })
    expect(state?.values).toMatchObject({ files: { 'a.md': 'done done' } })
    const models = envelopes.filter((envelope) => envelope.type === 'llm_start')
    expect(models.map((envelope) => envelope.agent).sort()).toEqual(
      ['first', 'main', 'second', 'third'].flatMap((name) =>
        name === 'main' ? [name, name] : [name, name, name, name],
      ),
    )
  })

  it('pause at the sub-agent that needs approval, and go on there', async () => {
    const server = await serve(({ user, turn }) => {
      if (user === 'go')
        return turn === 0 ? [task('A', 'general-purpose'), task('B', 'general-purpose')] : 'all done'
      if (turn > 0 || user === 'B') return `finished ${user}`
      return [{ name: 'delete_file', id: 'gone', args: { file_path: 'a.md' } }]
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.openai(),
      name: 'main',
      interruptOn: { delete_file: true },
    })
    const paused = await recordRun(fromGraph(agent), go({ 'a.md': 'one' }))
    expect(paused.outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: { actionRequests: [{ name: 'delete_file' }] } }],
    })
    expect(verify(paused.envelopes)).toEqual([])
    const resumed = await paused.next({
      kind: 'resume',
      answers: [{ value: { decisions: [{ type: 'approve' }] } }],
    })
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
    const deltas = resumed.envelopes.flatMap((one) => (one.type === 'tool_update' ? [one.payload.delta] : []))
    expect(deltas).toContainEqual({ files: { removed: ['a.md'] } })
  })

  it('lose nothing when the run is drained in the middle of a sub-agent', async () => {
    const drain = new AbortController()
    const server = await serve(({ user, turn }) => {
      if (user === 'go') return turn === 0 ? [task('A', 'general-purpose')] : 'all done'
      if (turn === 1) drain.abort()
      if (turn > 3) return `finished ${user}`
      return [{ name: 'write_file', id: `write_${turn}`, args: { file_path: `${turn}.md`, content: 'x' } }]
    })
    const agent = createDeepAgent({ instructions: 'x', model: server.openai(), name: 'main' })
    const drained = await recordRun(fromGraph(agent), go(), { drain: drain.signal })
    expect(drained.outcome).toEqual({ status: 'drained' })
    const done = await drained.next({ kind: 'recover' })
    expect(done.outcome).toEqual({ status: 'success' })
    expect(verify(done.envelopes)).toEqual([])
    const end = done.envelopes.findLast((one) => one.type === 'tool_end' && one.parent_id === null)
    expect(end?.payload).toMatchObject({
      result: { files: { '0.md': 'x', '1.md': 'x', '2.md': 'x', '3.md': 'x' } },
    })
  })

  it('come with a published shape of input and final state', async () => {
    const agent = createDeepAgent({ instructions: 'x', model: 'ollama:x', name: 'main' })
    const { input_schema, output_schema } = await fromGraph(agent).describe()
    expect(input_schema?.['properties']).toMatchObject({
      messages: {},
      todos: { type: 'array' },
      files: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    })
    expect(output_schema?.['properties']).toMatchObject({
      messages: {},
      todos: { type: 'array' },
      files: { type: 'object', additionalProperties: { type: 'string' } },
    })
  })
})
