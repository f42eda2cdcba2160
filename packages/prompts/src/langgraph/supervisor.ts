import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import type { Adapter } from '../prompt/adapter.ts'
import { definePrompt, type Prompt, type PromptTemplate } from '../prompt/prompt.ts'
import { escapePlaceholders } from '../prompt/placeholders.ts'
import { section, type Section } from '../prompt/section.ts'
import { tool, type Tool } from '../prompt/tool.ts'
import { fail, ok } from '../result/tool-result.ts'
import { fromJsonSchema } from '../schema/from-json-schema.ts'

/** An agent that others give work to. */
export interface Worker {
  /** The tool to reach it is named `ask_{name}`. */
  readonly name: string
  /** What it is good at, for the model that chooses. */
  readonly description: string
  readonly prompt: Prompt
  readonly adapter: Adapter
}

const task = fromJsonSchema<{ readonly task: string }>({
  type: 'object',
  properties: {
    task: { type: 'string', description: 'All that the worker needs to know: it sees nothing else.' },
  },
  required: ['task'],
})

/** A tool that evaluates a prompt. Session, deadline and budget of the caller hold for it too. */
export function workerTool(worker: Worker): Tool {
  assertWorker(worker)
  const { name, description, prompt, adapter } = worker
  return tool({
    name: `ask_${name}`,
    description,
    params: task,
    async handler(params, { session, signal }) {
      const response = await adapter.evaluate(prompt, { session, signal, input: params.task })
      if (response.status === 'completed') return ok(response.text ?? response.output)
      const questions = JSON.stringify(response.interrupts.map(({ value }) => value))
      return fail(`${name} cannot go on without a human, whom a worker cannot ask: ${questions}`)
    },
  })
}

export function assertWorker(worker: Worker): void {
  const needed = { name: 'text', description: 'text', prompt: 'object', adapter: 'object' } as const
  assertShape('a worker', worker, needed, { isOpen: true })
  if (!('render' in worker.prompt))
    throw new PromptDefinitionError(`The prompt of the worker "${worker.name}" is not bound yet.`, {
      hint: 'Pass prompt.bind({ ... }).',
    })
}

/** A prompt that does its work by asking others. Evaluate it like any prompt. */
export function supervisor(definition: {
  readonly ns: string
  readonly key: string
  readonly name?: string
  readonly sections: readonly Section[]
  readonly workers: readonly Worker[]
}): PromptTemplate<unknown, undefined> {
  assertShape('a supervisor', definition, {
    ns: 'text',
    key: 'text',
    name: 'text?',
    sections: 'list',
    workers: 'list',
  })
  const { workers, sections, ...ids } = definition
  const team = section({
    key: 'team',
    title: 'Team',
    template: `Give each part of the work to the one who does it best, then answer yourself.\n\n${list(workers)}`,
    tools: workers.map(workerTool),
  })
  return definePrompt({ ...ids, sections: [...sections, team] })
}

/** Names are checked by `tool()`; braces in a description are literal. */
export const list = (workers: readonly Pick<Worker, 'name' | 'description'>[]): string =>
  workers.map(({ name, description }) => `- ${name}: ${escapePlaceholders(description)}`).join('\n')
