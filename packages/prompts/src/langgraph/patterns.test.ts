import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createSession, definePrompt, LangGraphAdapter, section } from '../index.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'
import { supervisor, swarm, type Worker } from './index.ts'

const done = { text: 'Done.' }
const worker = (name: string, script: Script): Worker & { readonly model: ScriptedModel } => {
  const model = new ScriptedModel(script)
  return {
    name,
    description: `Does ${name} {{well}}.`,
    model,
    adapter: new LangGraphAdapter({ model }),
    prompt: definePrompt({
      ns: 'team',
      key: name,
      sections: [section({ key: 'role', title: 'Role', template: `You are ${name}.` })],
    }).bind(),
  }
}

describe('a supervisor', () => {
  const boss = section({ key: 'task', title: 'Task', template: 'Lead.' })

  test('asks its workers and answers; their tokens count', async () => {
    const research = worker('research', [{ text: 'Found it.', usage: [10, 5] }])
    const write = worker('write', [{ text: 'Written.', usage: [10, 5] }])
    const prompt = supervisor({
      ns: 'team',
      key: 'boss',
      sections: [boss],
      workers: [research, write],
    }).bind()
    const model = new ScriptedModel([
      {
        calls: [
          { name: 'ask_research', args: { task: 'look' } },
          { name: 'ask_write', args: { task: 'pen' } },
        ],
        usage: [10, 5],
      },
      { ...done, usage: [10, 5] },
    ])
    const adapter = new LangGraphAdapter({ model })
    const response = await adapter.evaluate(prompt, {
      session: createSession(),
      budget: { maxTotalTokens: 60 },
    })
    expect(response).toMatchObject({ text: 'Done.', usage: { totalTokens: 60 } })
    expect(research.model.seen[0]?.messages.map((each) => each.text)).toEqual([
      '## 1. Role (role)\n\nYou are research.',
      'look',
    ])
    expect(model.seen[1]?.messages.slice(-2).map((each) => each.text)).toEqual(['Found it.', 'Written.'])
    expect(model.seen[0]?.messages[0]?.text).toContain('- research: Does research {{well}}.')
  })

  test('goes on when a worker fails', async () => {
    const broken = worker('broken', [{ error: new Error('offline') }])
    const prompt = supervisor({ ns: 'team', key: 'boss', sections: [boss], workers: [broken] }).bind()
    const model = new ScriptedModel([{ calls: [{ name: 'ask_broken', args: { task: 'x' } }] }, done])
    await expect(
      new LangGraphAdapter({ model }).evaluate(prompt, { session: createSession() }),
    ).resolves.toMatchObject({ text: 'Done.' })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe("Tool 'ask_broken' execution failed: offline")
  })

  test('is stopped by a budget that a worker uses up', async () => {
    const greedy = worker('greedy', [{ text: 'x', usage: [500, 500] }])
    const prompt = supervisor({ ns: 'team', key: 'boss', sections: [boss], workers: [greedy] }).bind()
    const model = new ScriptedModel([
      { calls: [{ name: 'ask_greedy', args: { task: 'x' } }], usage: [1, 1] },
      done,
    ])
    await expect(
      new LangGraphAdapter({ model }).evaluate(prompt, {
        session: createSession(),
        budget: { maxTotalTokens: 100 },
      }),
    ).rejects.toMatchObject({ name: 'BudgetExceededError', consumed: { totalTokens: 1002, modelCalls: 2 } })
  })
})

describe('a swarm', () => {
  test('hands over until one answers, on one session and one budget', async () => {
    const sales = worker('sales', [
      { calls: [{ name: 'transfer_to_support', args: { task: 'refund 7' } }], usage: [10, 0] },
    ])
    const support = worker('support', [{ text: 'Refunded.', usage: [10, 0] }])
    const session = createSession()
    const failed: unknown[] = []
    session.bus.on('PromptFailed', (event) => failed.push(event))
    const result = await swarm({ agents: [sales, support] }).evaluate({
      session,
      input: 'I want a refund.',
      budget: { maxTotalTokens: 20 },
    })
    expect(result).toMatchObject({
      agent: 'support',
      handoffs: [{ from: 'sales', to: 'support', task: 'refund 7' }],
      response: { text: 'Refunded.' },
    })
    expect(sales.model.seen[0]?.messages.at(-1)?.text).toBe('I want a refund.')
    expect(support.model.seen[0]?.messages.at(-1)?.text).toBe('refund 7')
    expect(failed).toEqual([])
  })

  test('that only passes work on is stopped', async () => {
    const pass = (to: string) => [{ calls: [{ name: `transfer_to_${to}`, args: { task: 't' } }] }]
    const agents = [worker('a', pass('b')), worker('b', pass('a'))]
    await expect(swarm({ agents, maxHandoffs: 3 }).evaluate({ session: createSession() })).rejects.toThrow(
      'handed over 3 times',
    )
  })

  test('keeps the parameters and the output of its agents, and refuses an unknown start', async () => {
    const model = new ScriptedModel([{ text: '{"n":1}' }])
    const typed: Worker = {
      name: 'typed',
      description: 'd',
      adapter: new LangGraphAdapter({ model, outputStrategy: 'text' }),
      prompt: definePrompt({
        ns: 't',
        key: 'typed',
        sections: [
          section({ key: 's', title: 'S', template: 'For {{who}}.', params: z.object({ who: z.string() }) }),
        ],
        output: z.object({ n: z.number() }),
      }).bind({ who: 'me' }),
    }
    const { response } = await swarm({ agents: [typed] }).evaluate({ session: createSession() })
    expect(response).toMatchObject({ output: { n: 1 } })
    expect(model.seen[0]?.messages[0]?.text).toContain('For me.')
    expect(() => swarm({ agents: [typed], start: 'nobody' })).toThrow('The swarm has no agent "nobody".')
  })
})
