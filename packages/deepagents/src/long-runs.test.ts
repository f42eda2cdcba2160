import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { tool, type ToolRuntime } from '@langchain/core/tools'
import { Command } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { fromGraph } from '@clewline/langgraph'
import { recordRun } from '@clewline/langgraph/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent, type DeepAgentOptions } from './create-deep-agent.ts'
import { CountingModel, type Turns } from './testing/counting-model.ts'
import type { Call } from './testing/model-server.ts'

const go = { messages: [new HumanMessage('go')] }
const NEEDLE = 'the needle'

/** A tool with results of any size, the needle in the middle of a single line. */
const fetchPage = tool(
  ({ size }) => `${'x'.repeat(size / 2)}${NEEDLE}${'y'.repeat(size / 2 - NEEDLE.length)}`,
  { name: 'fetch_page', description: 'Fetch', schema: z.object({ size: z.number() }) },
)

async function run(turns: Turns, options: Partial<DeepAgentOptions> = {}) {
  const model = new CountingModel(turns)
  const agent = createDeepAgent({ instructions: 'x', model, tools: [fetchPage], ...options })
  const state = await agent.invoke(go)
  return { model, state, largest: Math.max(...model.sizes), answer: state.messages.at(-1)?.text }
}

const answers = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message))

describe('a long run', () => {
  it('of 200 turns and 2 MB of results ends the same, with requests of less than 15 % of the size', async () => {
    const turns: Turns = (turn) =>
      turn < 200 ? [{ name: 'fetch_page', args: { size: 10_000 } }] : 'the answer'
    const before = await run(turns, { summarise: false, maxResultLength: 1e9 })
    const now = await run(turns)
    const { state, model } = now
    expect(before.largest).toBeGreaterThan(1_900_000)
    expect(now.largest).toBeLessThan(0.15 * before.largest)
    expect([before.answer, now.answer]).toEqual(['the answer', 'the answer'])
    expect(model.summaries).toBeGreaterThan(2)

    // The request is kept, and what was summarised away is in files that can be read.
    expect(state.messages[0]?.text).toBe('go')
    expect(state.messages[1]?.text).toContain('The work so far went well.')
    expect(state.messages[1]?.text).toMatch(
      new RegExp(`are in the file conversation_deep-agent_${model.summaries}_[0-9a-f]{8}\\.md\\.`),
    )
    const names = Object.keys(state.files).filter((name) => name.startsWith('conversation_'))
    expect(names).toHaveLength(model.summaries)
    expect(state.files[names[0] ?? '']).toContain(NEEDLE)
    const kept = Object.values(state.files).join('').split(NEEDLE).length - 1
    const inState = answers(state.messages).filter((message) => message.text.includes(NEEDLE)).length
    expect(kept + inState).toBe(200)
  })

  it('puts results of 2 MB into files, of which the agent reads any part', async () => {
    const turns: Turns = (turn, messages) => {
      if (turn < 20) return [{ name: 'fetch_page', args: { size: 2_000_000 }, id: `page_${turn}` }]
      const file_path = /result_fetch_page_page_7_\w+\.txt/.exec(
        messages.map(({ text }) => text).join('\n'),
      )?.[0]
      if (turn === 20) return [{ name: 'grep', args: { pattern: NEEDLE, glob: file_path } }]
      if (turn === 21)
        return [{ name: 'read_file', args: { file_path, column: 1_000_000, limit: 1 }, id: 'read' }]
      return 'the answer'
    }
    const { state, largest, answer } = await run(turns)
    expect(answer).toBe('the answer')
    // Before, the last request had all results whole: 40 MB.
    expect(largest).toBeLessThan(0.15 * 40_000_000)
    expect(largest).toBeLessThan(400_000)
    const [page] = answers(state.messages)
    expect(page?.text).toContain(
      '[These are the first of 2000000 characters. The whole result is in the file',
    )
    const [found, read] = answers(state.messages).slice(-2)
    expect(found?.text).toContain(`${NEEDLE}yyy`)
    expect(found?.text).toMatch(/\(column \d+\)$/)
    expect(read?.text).toMatch(new RegExp(`^     1\\t${NEEDLE}y+… \\(\\d+ more characters\\)$`))
  })

  it('puts large results of commands into files beside what the tool wrote, in sub-agents too', async () => {
    const both = tool(
      (_input, runtime: ToolRuntime) =>
        new Command({
          update: {
            files: { 'mine.md': 'mine' },
            messages: [new ToolMessage({ content: 'z'.repeat(50_000), tool_call_id: runtime.toolCallId })],
          },
        }),
      { name: 'both', description: 'Both', schema: z.object({}) },
    )
    const task: Call = { name: 'task', args: { description: 'A', subagent_type: 'general-purpose' } }
    for (const scripts of [
      [[{ name: 'both', args: {}, id: 'b' }]],
      [[task], [{ name: 'both', args: {}, id: 'b' }]],
    ]) {
      const { state } = await run((turn) => scripts[turn] ?? 'done', { tools: [both] })
      const [mine, result = ''] = Object.keys(state.files).sort()
      expect(mine).toBe('mine.md')
      expect(result).toMatch(/^result_both_b_[0-9a-f]{8}\.txt$/)
      expect(state.files[result]).toHaveLength(50_000)
    }
  })

  it('is summarised in sub-agents, whose saved conversation comes back', async () => {
    const task: Call = {
      name: 'task',
      id: 'call_task',
      args: { description: 'A', subagent_type: 'general-purpose' },
    }
    const turns: Turns = (turn, messages) => {
      if (turn === 0) return [task]
      if (messages.some((message) => message.text === 'go')) return 'the answer'
      return turn < 60 ? [{ name: 'fetch_page', args: { size: 10_000 } }] : 'the part'
    }
    const { state, answer, model } = await run(turns)
    expect(answer).toBe('the answer')
    expect(model.summaries).toBeGreaterThan(0)
    expect(Object.keys(state.files)[0]).toMatch(/^conversation_general-purpose_1_[0-9a-f]{8}\.md$/)
    expect(answers(state.messages)[0]?.text).toBe('the part')
  })

  it('says in the record what was summarised away and where it went', async () => {
    const model = new CountingModel((turn) =>
      turn < 40 ? [{ name: 'fetch_page', args: { size: 10_000 } }] : 'the answer',
    )
    const agent = createDeepAgent({ instructions: 'x', model, tools: [fetchPage], name: 'main' })
    const { envelopes } = await recordRun(fromGraph(agent), {
      kind: 'input',
      input: { messages: [{ role: 'user', content: 'go' }] },
    })
    expect(verify(envelopes)).toEqual([])
    const warnings = envelopes.flatMap((envelope) => (envelope.type === 'warning' ? [envelope.payload] : []))
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'summarised',
        message: expect.stringMatching(/saved as conversation_main_1_\w+\.md/),
      }),
    ])
  })

  it('goes on with the whole conversation when the summary fails', async () => {
    const model = new CountingModel((turn) =>
      turn < 30 ? [{ name: 'fetch_page', args: { size: 10_000 } }] : 'the answer',
    )
    const broken = new CountingModel(() => {
      throw new Error('overloaded')
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model,
      tools: [fetchPage],
      summarise: {
        model: Object.assign(broken, { _generate: () => Promise.reject(new Error('overloaded')) }),
      },
    })
    const { messages } = await agent.invoke(go)
    expect(messages).toHaveLength(62)
    expect(messages.at(-1)?.text).toBe('the answer')
  })
})
