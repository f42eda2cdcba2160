import { MemorySaver } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { fromGraph } from '@clewline/langgraph'
import { mortalProcess, recordRun, saverWrite, type SaverWrite } from '@clewline/langgraph/testing'
import { expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const AGENTS = ['a', 'b', 'c']
const NOTE = { file_path: 'note.md', content: 'kept' }
const ROUNDS = [0, 1, 2]
const words = (map: (word: string) => string): string =>
  AGENTS.flatMap((agent) =>
    ROUNDS.flatMap((round) => [map(`${agent}${round}x`), map(`${agent}${round}y`)]),
  ).join(' ')

/** Each agent turns its own words of one file into capitals, two at a time. */
const editsOf = (agent: string, round: number): Call[] =>
  ['x', 'y'].map((half) => ({
    name: 'edit_file',
    id: `${agent}${round}${half}`,
    args: {
      file_path: 'words.md',
      old_string: `${agent}${round}${half}`,
      new_string: `${agent}${round}${half}`.toUpperCase(),
    },
  }))

it.each([1, 2, 4, 7, 10, 13, 16, 18])(
  'loses no change when the process dies after %i changes of parallel agents',
  async (deaths) => {
    const server = await serve(({ user, turn }) => {
      if (user !== 'go') return turn < ROUNDS.length ? editsOf(user, turn) : `finished ${user}`
      if (turn > 0) return 'all done'
      return AGENTS.map((agent) => ({
        name: 'task',
        id: `task_${agent}`,
        args: { description: agent, subagent_type: 'general-purpose' },
      }))
    })
    const source = fromGraph(createDeepAgent({ instructions: 'x', model: server.openai(), name: 'main' }))
    const input = {
      messages: [{ role: 'user', content: 'go' }],
      files: { 'words.md': words((word) => word) },
    }
    const checkpointer = new MemorySaver()
    let edits = 0
    const died = await recordRun(
      source,
      { kind: 'input', input },
      {
        checkpointer,
        diesAt: (one) =>
          one.type === 'tool_end' && one.payload.tool_name === 'edit_file' && (edits += 1) === deaths,
      },
    )
    expect(died.outcome).toEqual({ status: 'died' })
    const recovered = await died.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
    const state = await source.state?.({ thread_id: recovered.thread_id, checkpointer })
    expect(state?.values).toMatchObject({ files: { 'words.md': words((word) => word.toUpperCase()) } })
    expect(Object.keys(Object(Object(state?.values).files))).toEqual(['words.md'])
  },
)

it('loses no file of a sub-agent that had finished when the process died before its caller saved its work', async () => {
  const server = await serve(({ user, turn }) => {
    const args = user === 'go' ? { description: 'a', subagent_type: 'general-purpose' } : NOTE
    return turn === 0
      ? [{ name: user === 'go' ? 'task' : 'write_file', id: `${user}_1`, args }]
      : `finished ${user}`
  })
  const source = fromGraph(createDeepAgent({ instructions: 'x', model: server.openai(), name: 'main' }))
  const checkpointer = new MemorySaver()
  const isWorkOfSubAgent = (write: SaverWrite): boolean =>
    write.type === 'putWrites' && write.namespace === '' && write.channels.includes('files')
  const { died, part } = mortalProcess<SaverWrite>((write) => (isWorkOfSubAgent(write) ? 'before' : null))
  const input = { messages: [{ role: 'user', content: 'go' }] }
  const first = await recordRun(
    source,
    { kind: 'input', input },
    { checkpointer: part(checkpointer, saverWrite), died },
  )
  expect(first.outcome).toEqual({ status: 'died' })
  const recovered = await first.next({ kind: 'recover' }, { checkpointer })
  expect(recovered.outcome).toEqual({ status: 'success' })
  const state = await source.state?.({ thread_id: recovered.thread_id, checkpointer })
  expect(state?.values).toMatchObject({ files: { [NOTE.file_path]: NOTE.content } })
})
