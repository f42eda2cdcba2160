import { MemorySaver } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  action,
  createSession,
  definePrompt,
  LangGraphAdapter,
  section,
  slice,
  tool,
  type FinalAnswer,
} from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

const Step = slice('Step', z.string())
const Done = action('Done', z.string())
const finish = tool({
  name: 'finish',
  description: 'd',
  params: z.object({ step: z.string() }),
  handler: ({ step }, { session }) => void session.dispatch(Done(step)),
})
const sections = [section({ key: 'task', title: 'Task', template: 'Do a and b.', tools: [finish] })] as const
const sessionOf = () => createSession().register(Step, Done, (steps, step) => [...steps, step])
const allSteps = ({ session }: FinalAnswer) => {
  const left = ['a', 'b'].filter((step) => !session.query(Step).all().includes(step))
  return left.length === 0 ? undefined : `Still to do: ${left.join(', ')}.`
}
const prompt = definePrompt({ ns: 'test', key: 'completion', sections, completion: allSteps }).bind()
const call = (step: string) => ({ calls: [{ name: 'finish', args: { step }, id: step }] })

describe('a completion check', () => {
  test('sends the model back to work until it is content, and stays in the conversation', async () => {
    const model = new ScriptedModel([call('a'), { text: 'I am done.' }, call('b'), { text: 'Now I am.' }])
    const response = await new LangGraphAdapter({ model }).evaluate(prompt, { session: sessionOf() })
    expect(response).toMatchObject({ status: 'completed', text: 'Now I am.', steps: 4 })
    expect(
      model.seen
        .at(-1)
        ?.messages.map((each) => [each.getType(), each.text])
        .slice(2),
    ).toEqual([
      ['ai', ''],
      ['tool', 'OK'],
      ['ai', 'I am done.'],
      ['human', 'Still to do: b.'],
      ['ai', ''],
      ['tool', 'OK'],
    ])
  })

  test('fails the evaluation when reminders do not help', async () => {
    const model = new ScriptedModel([{ text: 'I am done.' }])
    const running = new LangGraphAdapter({ model, reminders: 2 }).evaluate(prompt, { session: sessionOf() })
    await expect(running).rejects.toMatchObject({
      name: 'PromptEvaluationError',
      phase: 'response',
      message: 'The task is not complete: Still to do: a, b.',
    })
    expect(model.seen).toHaveLength(3)
  })

  test('keeps within the budget', async () => {
    const model = new ScriptedModel([{ text: 'I am done.' }])
    const running = new LangGraphAdapter({ model }).evaluate(prompt, {
      session: sessionOf(),
      budget: { maxModelCalls: 2 },
    })
    await expect(running).rejects.toMatchObject({ name: 'BudgetExceededError', dimension: 'model_calls' })
    expect(model.seen).toHaveLength(2)
  })

  test.each(['tool', 'text', 'provider'] as const)(
    'is given typed output, by the strategy "%s"',
    async (outputStrategy) => {
      const counting = definePrompt({
        ns: 'test',
        key: 'typed',
        sections,
        output: z.object({ n: z.number() }),
        completion: ({ text, output }) => (text === null && output.n > 1 ? undefined : 'More.'),
      }).bind()
      const answer = (n: number) =>
        outputStrategy === 'tool'
          ? { calls: [{ name: 'submit_output', args: { n } }] }
          : { text: JSON.stringify({ n }) }
      const model = new ScriptedModel([answer(1), answer(2)])
      const adapter = new LangGraphAdapter({ model, outputStrategy })
      await expect(adapter.evaluate(counting, { session: createSession() })).resolves.toMatchObject({
        output: { n: 2 },
      })
    },
  )

  test('that throws fails the evaluation, and says so', async () => {
    const broken = definePrompt({
      ns: 'test',
      key: 'broken',
      sections,
      completion: () => {
        throw new Error('no database')
      },
    }).bind()
    const model = new ScriptedModel([{ text: 'Done.' }])
    await expect(
      new LangGraphAdapter({ model }).evaluate(broken, { session: createSession() }),
    ).rejects.toMatchObject({ phase: 'response', message: 'The completion check failed: no database' })
  })

  test('holds for a conversation that goes on', async () => {
    const model = new ScriptedModel([call('a'), call('b'), { text: 'One.' }, { text: 'Two.' }])
    const adapter = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const options = { session: sessionOf(), threadId: 't' }
    await expect(adapter.evaluate(prompt, options)).resolves.toMatchObject({ text: 'One.' })
    await expect(adapter.evaluate(prompt, options)).resolves.toMatchObject({ text: 'Two.' })
  })

  test('is not possible in a graph of your own', async () => {
    const adapter = new LangGraphAdapter({ graph: { invoke: async () => ({}) } })
    await expect(adapter.evaluate(prompt, { session: sessionOf() })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})
