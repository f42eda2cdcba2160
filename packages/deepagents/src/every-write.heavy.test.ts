import { MemorySaver } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { fromGraph } from '@clewline/langgraph'
import {
  mortalProcess,
  recordRun,
  saverWrite,
  type Recording,
  type SaverWrite,
} from '@clewline/langgraph/testing'
import { describe, expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call, Script } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()

const task = (id: string, description: string, subagent_type: string): Call => ({
  name: 'task',
  id,
  args: { description, subagent_type },
})
const write = (name: string): Call => ({
  name: 'write_file',
  id: `write_${name}`,
  args: { file_path: name, content: `by ${name}` },
})

/** Two sub-agents at once, of which one hands its work on; each writes a file and says so. */
const script: Script = ({ user, turn }) => {
  if (user === 'go') return turn === 0 ? [task('t_a', 'a', 'writer'), task('t_b', 'b', 'boss')] : 'all done'
  if (user === 'b') return [[task('t_c', 'c', 'writer')], [write('b.md')], 'b is done'][turn] ?? ''
  return turn === 0 ? [write(`${user}.md`)] : `${user} is done`
}
const FILES = Object.fromEntries(['a.md', 'b.md', 'c.md'].map((name) => [name, `by ${name}`]))
const request = { kind: 'input', input: { messages: [{ role: 'user', content: 'go' }] } } as const

async function sourceOf() {
  const server = await serve(script)
  const writer = { name: 'writer', description: 'writes', prompt: 'You write.' }
  const boss = { ...writer, name: 'boss', subagents: [writer] }
  const model = server.openai()
  return fromGraph(createDeepAgent({ instructions: 'x', model, name: 'main', subagents: [writer, boss] }))
}

/** Runs it in a process that may die at a write, and then in the next one. */
async function run(
  source: Awaited<ReturnType<typeof sourceOf>>,
  diesAt: (write: SaverWrite) => boolean,
): Promise<{ ended: Recording; files: unknown }> {
  const checkpointer = new MemorySaver()
  const { died, part } = mortalProcess<SaverWrite>((one) => (diesAt(one) ? 'before' : null))
  const first = await recordRun(source, request, { checkpointer: part(checkpointer, saverWrite), died })
  const ended = first.outcome.status === 'died' ? await takeUp(first, checkpointer) : first
  const state = await source.state?.({ thread_id: ended.thread_id, checkpointer })
  return { ended, files: Object(state?.values).files }
}

/** What a runtime does: it recovers the run, and one of which nothing was saved it starts again. */
async function takeUp(died: Recording, checkpointer: MemorySaver): Promise<Recording> {
  try {
    return await died.next({ kind: 'recover' }, { checkpointer })
  } catch (error) {
    expect(String(error)).toContain('died before anything of it was saved')
    return died.next(request, { checkpointer })
  }
}

describe('files of sub-agents', () => {
  it(
    'survive the death of the process at every write to the checkpointer',
    { timeout: 120_000 },
    async () => {
      const source = await sourceOf()
      let writes = 0
      const whole = await run(source, () => {
        writes += 1
        return false
      })
      expect(whole.files).toEqual(FILES)
      for (let point = 1; point <= writes; point++) {
        let made = 0
        let at: SaverWrite | undefined
        const { ended, files } = await run(source, (one) => {
          if (++made !== point) return false
          at = one
          return true
        })
        const where = `died before write ${point} of ${writes}, ${JSON.stringify(at)}`
        expect({ where, outcome: ended.outcome, violations: verify(ended.envelopes), files }).toEqual({
          where,
          outcome: { status: 'success' },
          violations: [],
          files: FILES,
        })
      }
    },
  )
})
