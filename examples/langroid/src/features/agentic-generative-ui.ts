import { ChatAgent, ToolMessage } from '@clewline/langroid'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Feature } from '../feature.ts'

const StartTask = ToolMessage({
  request: 'start_task',
  purpose: 'To work through <steps>, one after the other, while the user watches.',
  fields: z.object({ steps: z.array(z.string()).min(1) }),
  handle: async ({ steps }, context) => {
    const shown = steps.map((description) => ({ description, status: 'pending' }))
    await context.update({ state: { steps: shown } })
    for (const [done, step] of shown.entries()) {
      await setTimeout(50, undefined, { signal: context.signal })
      step.status = 'completed'
      await context.update({ state: { steps: shown }, progress: { done: done + 1, total: steps.length } })
    }
    return `All ${steps.length} steps are completed.`
  },
})

/** A long tool that shows its progress in the shared state while it works. */
export const agenticGenerativeUi: Feature = {
  name: 'agentic_generative_ui',
  python: 'agentic_generative_ui:build',
  native: (model) =>
    ChatAgent({
      name: 'agentic_generative_ui',
      model,
      systemMessage: 'You plan a task as short steps and start it with start_task.',
      tools: [StartTask],
    }),
  config: { description: 'Steps that tick themselves off while the agent works.' },
}
