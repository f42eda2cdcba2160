import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type AIMessageChunk,
} from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { INSTRUCTIONS } from './prompts.ts'
import { ScriptedResearchModel } from './scripted-research-model.ts'

const question = [
  new SystemMessage(INSTRUCTIONS),
  new HumanMessage('How do heat pumps work in cold climates?'),
]

async function collect(model: ScriptedResearchModel, messages = question) {
  const chunks: AIMessageChunk[] = []
  for await (const chunk of await model.stream(messages)) chunks.push(chunk)
  const [first, ...rest] = chunks
  if (first === undefined) throw new Error('nothing was said')
  return { chunks, whole: rest.reduce((sum, chunk) => sum.concat(chunk), first) }
}

describe('the scripted model', () => {
  it('streams reasoning, text and arguments piece by piece, and counts tokens', async () => {
    const { chunks, whole } = await collect(new ScriptedResearchModel({ paceMs: 0 }))
    expect(chunks.length).toBeGreaterThan(40)
    expect(whole.text).toContain('How do heat pumps work in cold climates')
    expect(whole.additional_kwargs['reasoning_content']).toContain('heat pumps; cold climates')
    expect(whole.tool_calls).toMatchObject([
      { name: 'write_todos', args: { todos: [{ status: 'in_progress' }, {}, {}, {}, {}] } },
    ])
    expect(whole.usage_metadata).toMatchObject({
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    })
    expect(whole.response_metadata).toMatchObject({
      model_name: 'scripted-offline',
      finish_reason: 'tool_calls',
    })
  })

  it('says the same to the same conversation, whoever asks, streamed or not', async () => {
    const { whole } = await collect(new ScriptedResearchModel({ paceMs: 0 }))
    const again = await new ScriptedResearchModel({ paceMs: 0 }).invoke(question)
    expect(again.id).toBe(whole.id)
    expect(again.text).toBe(whole.text)
    expect(again.tool_calls).toEqual(whole.tool_calls)
  })

  it('says something else, under another id, when the conversation has gone on', async () => {
    const model = new ScriptedResearchModel({ paceMs: 0 })
    const { whole } = await collect(model)
    const [call] = whole.tool_calls ?? []
    const longer = [
      ...question,
      new AIMessage({ content: whole.text, tool_calls: whole.tool_calls ?? [] }),
      new ToolMessage({ content: 'ok', tool_call_id: call?.id ?? '' }),
    ]
    const next = await model.invoke(longer)
    expect(next.id).not.toBe(whole.id)
    expect(next.tool_calls?.map(({ name }) => name)).toEqual(['write_file', 'write_file', 'write_todos'])
    expect(next.tool_calls?.map(({ id }) => id)).not.toContain(call?.id)
  })

  it('stops in the middle of a sentence when it is told to', async () => {
    const controller = new AbortController()
    let heard = 0
    const speak = async () => {
      const stream = await new ScriptedResearchModel({ paceMs: 5 }).stream(question, {
        signal: controller.signal,
      })
      for await (const _chunk of stream) if ((heard += 1) === 3) controller.abort()
    }
    await expect(speak()).rejects.toThrow(/abort/i)
    expect(heard).toBeLessThan(6)
  })

  it('takes its time', async () => {
    const started = performance.now()
    const { chunks } = await collect(new ScriptedResearchModel({ paceMs: 2 }), [new HumanMessage('Hi')])
    expect(performance.now() - started).toBeGreaterThanOrEqual((chunks.length - 1) * 2 * 0.8)
  })
})
