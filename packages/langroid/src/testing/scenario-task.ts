import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '@clewline/core'
import { z } from 'zod'
import type { LLMMessage } from '../llm-message.ts'
import { ChatAgent } from '../native/chat-agent.ts'
import { InfiniteLoopError } from '../native/cycle-detector.ts'
import { MockLM } from '../native/mock-lm.ts'
import { orchestration } from '../native/orchestration.ts'
import { RecipientTool } from '../native/recipient-tool.ts'
import { Task, type TaskConfig } from '../native/task.ts'
import { ToolMessage } from '../native/tool-message.ts'

/** A task with a scripted model: a row of scenarios/scenarios.json, which real Langroid reads too. */
export interface TaskScenario {
  readonly name: string
  readonly input: string
  /** Inputs of later runs. */
  readonly then?: readonly string[]
  readonly turns?: number
  /** What people answer, in order; then they quit. */
  readonly user?: readonly string[]
  readonly task: TaskSpec
}

interface TaskSpec {
  readonly name: string
  /** In order, the last one for ever. */
  readonly answers: readonly (string | ScriptedAnswer)[]
  readonly format?: 'api' | 'text'
  readonly tools?: readonly string[]
  readonly useOnly?: readonly string[]
  readonly handleOnly?: readonly string[]
  readonly noTool?: string
  readonly options?: TaskConfig
  readonly subTasks?: readonly TaskSpec[]
}

interface ScriptedAnswer {
  readonly text?: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[]
}

/** What came of a scenario: the shape of scenarios/real.json. */
export interface ScenarioOutcome {
  readonly results: readonly ({ readonly content: string; readonly tools: readonly Json[] } | null)[]
  /** `loop`, or the words of a handler that threw. */
  readonly error: string | null
  /** The agents whose models were asked, in order. */
  readonly asked: readonly string[]
  /** The agents that asked their user, in order. */
  readonly questions: readonly string[]
  readonly histories: Readonly<Record<string, readonly JsonObject[]>>
}

const read = (file: string): string =>
  readFileSync(new URL(`../../scenarios/${file}`, import.meta.url), 'utf8')
const TaskScenarios = z.array(z.custom<TaskScenario>())
const ScenarioOutcomes = z.record(z.string(), z.custom<ScenarioOutcome>())

export const taskScenarios = TaskScenarios.parse(JSON.parse(read('scenarios.json')))
/** What real Langroid made of them, as scenarios/run_real.py recorded it. */
export const realOutcomes = ScenarioOutcomes.parse(JSON.parse(read('real.json')))
/** Where native does something else, and why. */
export const differences = z
  .record(z.string(), z.object({ in: z.array(z.string()), reason: z.string() }))
  .parse(JSON.parse(read('differences.json')))

const number = z.object({ number: z.number().int() })
const city = z.object({ city: z.string() })
const { AgentDoneTool, AgentSendTool, FinalResultTool, ForwardTool, ResultTool } = orchestration
const Square = ToolMessage({
  request: 'square',
  purpose: 'To square a <number>.',
  fields: number,
  handle: (fields) => String(fields.number ** 2),
})

/** The same tools as in scenarios/scenario_tasks.py. */
const tools = [
  Square,
  ToolMessage({
    request: 'echo',
    purpose: 'To say <text>.',
    fields: z.object({ text: z.string() }),
    handle: ({ text }) => text,
  }),
  ToolMessage({
    request: 'fail',
    purpose: 'To fail.',
    fields: z.object({}),
    handle: () => {
      throw new Error('kaputt')
    },
  }),
  ToolMessage({ request: 'silent', purpose: 'To say nothing.', fields: z.object({}), handle: () => null }),
  ToolMessage({
    request: 'lookup',
    purpose: 'To look up a <city>.',
    fields: city,
    handle: (fields) => ({ city: fields.city, people: 7 }),
  }),
  ToolMessage({
    request: 'secret',
    purpose: 'To open the safe.',
    fields: z.object({ code: z.number() }),
    handle: ({ code }) => `opened ${code}`,
  }),
  ToolMessage({
    request: 'chain',
    purpose: 'To hand on to square, with <number>.',
    fields: number,
    handle: (fields) => Square.use(fields),
  }),
  ToolMessage({
    request: 'finish',
    purpose: 'To finish with <answer>.',
    fields: z.object({ answer: z.string() }),
    handle: ({ answer }) => AgentDoneTool.use({ content: answer }),
  }),
  ToolMessage({
    request: 'finish_with',
    purpose: 'To finish with a tool for <number>.',
    fields: number,
    handle: (fields) => AgentDoneTool.use({ tools: [{ ...Square.use(fields) }] }),
  }),
  ToolMessage({
    request: 'report',
    purpose: 'To report a <city>.',
    fields: city,
    handle: (fields) => ResultTool.use(fields),
  }),
  ToolMessage({
    request: 'conclude',
    purpose: 'To conclude with a <city>.',
    fields: city,
    handle: (fields) => FinalResultTool.use(fields),
  }),
  ToolMessage({
    request: 'tell',
    purpose: 'To tell <words> to <whom>.',
    fields: z.object({ whom: z.string(), words: z.string() }),
    handle: ({ whom, words }) => AgentSendTool.use({ to: whom, content: words }),
  }),
  ToolMessage({
    request: 'hand_over',
    purpose: 'To hand the message over to <whom>.',
    fields: z.object({ whom: z.string() }),
    handle: ({ whom }) => ForwardTool.use({ agent: whom }),
  }),
  RecipientTool,
  ...Object.values(orchestration),
]
const toolsNamed = (names: readonly string[] = []): readonly ToolMessage[] =>
  tools.filter((tool) => names.includes(tool.request))

/** The native task of a scenario. `onAsked` hears whose model is asked. */
export function scenarioTask(spec: TaskSpec, onAsked: (agent: string) => void = () => {}): Task {
  let next = 0
  const model = MockLM({
    respond: () => {
      onAsked(spec.name)
      const said = spec.answers[Math.min(next++, spec.answers.length - 1)] ?? ''
      const usage = { input_tokens: 10, output_tokens: 2 }
      if (typeof said === 'string') return { text: said, usage }
      return { text: said.text ?? '', toolCalls: said.calls, usage }
    },
  })
  const agent = ChatAgent({
    name: spec.name,
    model,
    systemMessage: 'You are a test.',
    toolFormat: spec.format ?? 'text',
    tools: toolsNamed(spec.tools),
    ...(spec.noTool !== undefined && { handleNoTool: spec.noTool }),
  })
  agent.enableMessage(toolsNamed(spec.useOnly), { use: true, handle: false })
  agent.enableMessage(toolsNamed(spec.handleOnly), { use: false, handle: true })
  return Task(agent, {
    ...spec.options,
    subTasks: (spec.subTasks ?? []).map((sub) => scenarioTask(sub, onAsked)),
  })
}

/** Runs a scenario in this process, as scenarios/run_real.py does in Python. */
export async function runScenario(scenario: TaskScenario): Promise<ScenarioOutcome> {
  const asked: string[] = []
  const questions: string[] = []
  const people = [...(scenario.user ?? [])]
  const task = scenarioTask(scenario.task, (agent) => asked.push(agent))
  const results: ScenarioOutcome['results'][number][] = []
  let error: string | null = null
  for (const said of [scenario.input, ...(scenario.then ?? [])]) {
    try {
      const result = await task.run(said, {
        ...(scenario.turns !== undefined && { turns: scenario.turns }),
        userResponse: (_document, name) => {
          questions.push(name)
          return people.shift() ?? 'q'
        },
      })
      const used = result?.toolMessages.map(({ name, args }) => ({ name, args })) ?? []
      results.push(result === null ? null : { content: result.content, tools: used })
    } catch (failure) {
      error = failure instanceof InfiniteLoopError ? 'loop' : z.instanceof(Error).parse(failure).message
      results.push(null)
      break
    }
  }
  const histories = tree(task).map(({ name, agent }) => [name, agent.messageHistory.map(plainMessage)])
  return { results, error, asked, questions, histories: Object.fromEntries(histories) }
}

function tree(task: Task): readonly Task[] {
  return [task, ...task.subTasks.flatMap(tree)]
}

function plainMessage({ role, content, tool_calls, tool_call_id }: LLMMessage): JsonObject {
  const calls = (tool_calls ?? []).map(({ id, name, arguments: json }) => ({
    id,
    name,
    args: z.record(z.string(), z.json()).parse(JSON.parse(json)),
  }))
  return {
    role,
    content,
    ...(calls.length > 0 && { calls }),
    ...(tool_call_id !== undefined && { answers: tool_call_id }),
  }
}

/** Without what languages write differently: the spaces of JSON and of Python's long strings. */
export function comparable(outcome: ScenarioOutcome): ScenarioOutcome {
  const text = JSON.stringify(outcome, (_key, value: unknown) =>
    typeof value === 'string' ? plainText(value) : value,
  )
  return z.custom<ScenarioOutcome>().parse(JSON.parse(text))
}

function plainText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text.replaceAll(/\s+/g, ' ').trim()
  }
}
