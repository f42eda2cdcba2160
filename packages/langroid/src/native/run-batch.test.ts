import { describe, expect, test } from 'vitest'
import { ChatAgent } from './chat-agent.ts'
import { MockLM } from './mock-lm.ts'
import { runBatch } from './run-batch.ts'
import { Task } from './task.ts'

describe('a batch', () => {
  test('runs a copy of the task for each item, a few at a time, and keeps their order', async () => {
    let running = 0
    let most = 0
    const model = MockLM({
      respond: async (text, { messages }) => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 5 * (5 - Number(text))))
        running--
        return `${text} of ${messages.length - 1}`
      },
    })
    const task = Task(ChatAgent({ name: 'a', model }), { singleRound: true })
    const results = await runBatch(task, [1, 2, 3, 4, 5], { concurrency: 2 })
    expect(results).toEqual(['1 of 1', '2 of 1', '3 of 1', '4 of 1', '5 of 1'])
    expect(most).toBe(2)
    expect(task.agent.messageHistory).toEqual([])
  })

  test('stops at the first result when one is enough', async () => {
    const asked: string[] = []
    const model = MockLM({
      respond: (text) => {
        asked.push(text)
        return text === 'b' ? 'yes' : 'no'
      },
    })
    const task = Task(ChatAgent({ name: 'a', model }), { singleRound: true })
    const results = await runBatch(task, ['a', 'b', 'c'], {
      concurrency: 1,
      stopOnFirstResult: true,
      outputOf: (result) => (result?.content === 'yes' ? 1 : null),
    })
    expect([results, asked]).toEqual([
      [null, 1, null],
      ['a', 'b'],
    ])
  })

  test('rejects as soon as one run does', async () => {
    const model = MockLM({ respond: () => ({ error: new Error('gone') }) })
    await expect(runBatch(Task(ChatAgent({ name: 'a', model })), ['a', 'b'])).rejects.toThrow('gone')
  })
})
