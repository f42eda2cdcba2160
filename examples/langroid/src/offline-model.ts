import { LLMock } from '@copilotkit/aimock'
import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock'
import { z } from 'zod'

type Script = (said: string, request: ChatCompletionRequest) => FixtureResponse

/** A scripted model behind the API of a real one, so that the examples need no key and no network. */
export async function startOfflineModel(): Promise<{ readonly baseUrl: string; stop(): Promise<void> }> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 8 })
  const on = (tool: string | null, pattern: RegExp, script: Script): void => {
    mock.on(
      {
        endpoint: 'chat',
        predicate: (request) =>
          (tool === null || toolNames(request).includes(tool)) && pattern.test(lastText(request)),
      },
      (request) => script(lastText(request), request),
    )
  }

  on('change_background', /^\{"changed":"(.*)"\}$/, (said) =>
    say(`The background is ${JSON.parse(said).changed} now.`),
  )
  on('change_background', /background/i, (said) =>
    call('change_background', { background: /\b(blue|pink|green|gold)\b/i.exec(said)?.[1] ?? 'gold' }),
  )
  on('get_weather', /weather in (\w+)/i, (said) =>
    call('get_weather', { location: /weather in (\w+)/i.exec(said)?.[1] ?? '' }),
  )
  on('render_chart', /^\{"chart_type"/, () => say('Here is your chart.'))
  on('render_chart', /chart/i, () =>
    call('render_chart', {
      chart_type: 'bar',
      values: [
        { label: 'Mon', value: 3 },
        { label: 'Tue', value: 5 },
      ],
    }),
  )
  on('generate_recipe', /^The recipe was updated/, () => say('I made it a pasta dish.'))
  on('generate_recipe', /which ingredients/i, (said) => say(`You have: ${ingredientsIn(said).join(', ')}.`))
  on('generate_recipe', /pasta|improve|recipe/i, (said) =>
    call('generate_recipe', { recipe: pasta(ingredientsIn(said)) }),
  )
  on('start_task', /steps are completed/, () => say('Done: everything is ticked off.'))
  on('start_task', /mars|plan|task/i, () =>
    call('start_task', { steps: ['Build the rocket', 'Fly', 'Land'] }),
  )
  on('generate_task_steps', /^\{"accepted"/, (said) => say(decided(said)))
  on('generate_task_steps', /mars|plan|task/i, () =>
    call('generate_task_steps', {
      steps: ['Pack', 'Fly', 'Plant a flag'].map((description) => ({ description, status: 'enabled' })),
    }),
  )
  on(null, /^(hi|hello)\b/i, () => say('Hello! How can I help?'))
  on(null, /(?:)/, (said) => say(`You said: ${said}`))
  await mock.start()
  return { baseUrl: `${mock.url}/v1`, stop: () => mock.stop() }
}

function say(content: string): FixtureResponse {
  return { content }
}

function call(name: string, args: object): FixtureResponse {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] }
}

function toolNames(request: ChatCompletionRequest): readonly string[] {
  return (request.tools ?? []).map((tool) => tool.function.name)
}

function lastText(request: ChatCompletionRequest): string {
  const content = request.messages.at(-1)?.content
  return typeof content === 'string' ? content : ''
}

const Ingredients = z.object({ ingredients: z.array(z.object({ name: z.string() })) })

/** What the prompt says about the recipe: proof that the shared state reached the model. */
function ingredientsIn(prompt: string): readonly string[] {
  const json = /^Current recipe: (\{.*\})$/m.exec(prompt)?.[1]
  return json === undefined ? [] : Ingredients.parse(JSON.parse(json)).ingredients.map(({ name }) => name)
}

function pasta(kept: readonly string[]): object {
  return {
    title: 'Pasta al pomodoro',
    skill_level: 'Beginner',
    cooking_time: '20 min',
    ingredients: ['Pasta', ...kept.filter((name) => name !== 'Pasta')].map((name) => ({
      icon: '🍝',
      name,
      amount: '200 g',
    })),
    instructions: ['Boil the pasta.', 'Add the sauce.'],
    changes: 'Made it a pasta dish.',
  }
}

function decided(result: string): string {
  const { accepted, steps } = z
    .object({ accepted: z.boolean(), steps: z.array(z.string()) })
    .parse(JSON.parse(result))
  return accepted ? `I will do: ${steps.join(', ')}.` : 'Fine, I will do nothing.'
}
