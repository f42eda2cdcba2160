import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from './index.ts'

describe('scriptedModel', () => {
  test('answers a list by the number of assistant messages in the prompt', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }])
    expect((await model.invoke([new HumanMessage('a')])).text).toBe('one')
    expect((await model.invoke([new HumanMessage('a'), new AIMessage('one')])).text).toBe('two')
    expect((await model.invoke('a')).text).toBe('one')
  })

  test('says so when its script is over', async () => {
    const model = scriptedModel([{ text: 'one' }])
    await expect(model.invoke([new AIMessage('one')])).rejects.toThrow(/1 turns .* turn 2/)
  })

  test('streams reasoning, words, tool arguments in pieces, then the usage', async () => {
    const args = { query: 'cats and dogs' }
    const model = scriptedModel([
      {
        reasoning: 'let me see',
        text: 'I will look',
        toolCalls: [{ name: 'search', args }],
        usage: { input_tokens: 7, output_tokens: 3 },
      },
    ])
    const chunks = []
    for await (const chunk of await model.stream('hi')) chunks.push(chunk)
    expect(chunks.map((chunk) => chunk.text).filter(Boolean)).toEqual(['I ', 'will ', 'look'])
    expect(chunks.flatMap((chunk) => chunk.tool_call_chunks ?? []).length).toBeGreaterThan(2)
    const whole = await model.invoke('hi')
    expect(whole.tool_calls).toMatchObject([{ id: 'call_1_1', name: 'search', args }])
    expect(whole.usage_metadata).toMatchObject({ total_tokens: 10 })
    expect(whole.response_metadata['finish_reason']).toBe('tool_calls')
  })

  test('tells a function which tools are bound', async () => {
    const model = scriptedModel(({ tools }) => ({ text: tools.join(',') })).bindTools([
      { type: 'function', function: { name: 'look', parameters: {} } },
    ])
    expect((await model.invoke('hi')).text).toBe('look')
  })

  test('sends arguments that are not JSON as they are, and no usage when there is none', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'look', args: '{nonsense' }], usage: null }])
    const { invalid_tool_calls, usage_metadata } = await model.invoke('hi')
    expect(invalid_tool_calls).toMatchObject([{ id: 'call_1_1', name: 'look', args: '{nonsense' }])
    expect(usage_metadata).toBeUndefined()
  })

  test('tells a function the options of the call', async () => {
    const model = scriptedModel(({ options }) => ({ text: String(options['stop']) }))
    expect((await model.invoke('hi', { stop: ['end'] })).text).toBe('end')
  })

  test('fails after its pieces when the turn has an error', async () => {
    const model = scriptedModel([{ text: 'half an', error: 'the provider is down' }])
    const seen: string[] = []
    const read = async (): Promise<void> => {
      for await (const chunk of await model.stream('hi')) seen.push(chunk.text)
    }
    await expect(read()).rejects.toThrow('the provider is down')
    expect(seen).toEqual(['half ', 'an'])
  })

  test('stops at once when its signal aborts', async () => {
    const model = scriptedModel([{ text: 'a b c', delayMs: 60_000 }])
    const answer = model.invoke('hi', { signal: AbortSignal.timeout(10) })
    await expect(answer).rejects.toThrow(/abort|timeout/i)
  })
})
