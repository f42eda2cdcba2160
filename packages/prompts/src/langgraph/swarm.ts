import { ClewlineError } from '@clewline/core'
import { createBudgetTracker } from '../limits/budget-tracker.ts'
import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'
import { assertShape } from '../prompt-definition-error.ts'
import type { Adapter, EvaluateOptions } from '../prompt/adapter.ts'
import { withSections, type Prompt } from '../prompt/prompt.ts'
import { section } from '../prompt/section.ts'
import { tool, type Tool } from '../prompt/tool.ts'
import type { PromptResponse } from '../result/prompt-response.ts'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import { Handoff } from '../tool/handoff.ts'
import { assertWorker, list, type Worker } from './supervisor.ts'

/** Who answered in the end, and how the work got there. */
export interface SwarmResponse {
  /** Who answered. */
  readonly agent: string
  /** Who gave what to whom, in order. */
  readonly handoffs: readonly { readonly from: string; readonly to: string; readonly task: string }[]
  readonly response: PromptResponse<unknown>
}

/** Agents that hand the work to each other until one of them answers. */
export interface Swarm {
  evaluate(options: EvaluateOptions): Promise<SwarmResponse>
}

const params = fromJsonSchema<{ readonly task: string }>({
  type: 'object',
  properties: {
    task: { type: 'string', description: 'What is left to do, with all that the other must know.' },
  },
  required: ['task'],
})

/** Agents that hand the conversation to each other until one of them answers. They share session, deadline and budget. */
export function swarm(definition: {
  readonly agents: readonly Worker[]
  /** Who begins; default the first. */
  readonly start?: string
  /** Default 10: agents that only pass work on are stopped. */
  readonly maxHandoffs?: number
}): Swarm {
  assertShape('a swarm', definition, { agents: 'list', start: 'text?', maxHandoffs: 'number?' })
  const { agents, maxHandoffs = 10 } = definition
  agents.forEach(assertWorker)
  const members = new Map(
    agents.map((agent) => [agent.name, { adapter: agent.adapter, prompt: withHandoffs(agent, agents) }]),
  )
  const member = (name: string): { readonly adapter: Adapter; readonly prompt: Prompt } => {
    const found = members.get(name)
    if (found !== undefined) return found
    throw new ClewlineError('bad-config', `The swarm has no agent "${name}".`, {
      hint: `Its agents: ${[...members.keys()].join(', ')}.`,
    })
  }
  const start = definition.start ?? agents[0]?.name ?? ''
  member(start)

  return {
    async evaluate(given) {
      const { budget, ...rest } = given
      const options = {
        ...rest,
        ...(budget !== undefined && { budgetTracker: given.budgetTracker ?? createBudgetTracker(budget) }),
      }
      const handoffs: { from: string; to: string; task: string }[] = []
      let agent = start
      let turn = options
      while (true) {
        const { adapter, prompt } = member(agent)
        try {
          return { agent, handoffs, response: await adapter.evaluate(prompt, turn) }
        } catch (error) {
          if (!(error instanceof Handoff)) throw error
          if (handoffs.length >= maxHandoffs)
            throw new PromptEvaluationError(
              `The agents handed over ${maxHandoffs} times and none of them answered.`,
              {
                promptName: prompt.name,
                phase: 'tool',
                cause: error,
              },
            )
          handoffs.push({ from: agent, to: error.target, task: error.task })
          agent = error.target
          turn = { ...options, input: error.task }
        }
      }
    },
  }
}

function withHandoffs(agent: Worker, all: readonly Worker[]): Prompt {
  const others = all.filter((each) => each !== agent)
  const { sections } = agent.prompt.template
  const colleagues = section({
    key: 'colleagues',
    title: 'Colleagues',
    template: `When another is better suited, hand over with the tool named after them.\n\n${list(others)}`,
    tools: others.map(handoffTool),
  })
  const template = withSections(agent.prompt.template, [
    ...sections,
    ...(others.length > 0 ? [colleagues] : []),
  ])
  return template.bind(agent.prompt.params)
}

function handoffTool({ name, description }: Worker): Tool {
  return tool({
    name: `transfer_to_${name}`,
    description: `Hands the conversation to ${name}: ${description}`.slice(0, 200),
    params,
    handler({ task }): never {
      throw new Handoff(name, task)
    },
  })
}
