import { ChatAgent } from '@clewline/langroid'
import type { Feature } from '../feature.ts'

/** The page shows the plan, the user unticks steps or refuses, and the model hears what was decided. */
export const humanInTheLoop: Feature = {
  name: 'human_in_the_loop',
  python: 'human_in_the_loop:build',
  native: (model) =>
    ChatAgent({
      name: 'human_in_the_loop',
      model,
      systemMessage: 'You plan tasks with generate_task_steps and do only the steps that the user keeps.',
    }),
  config: { description: 'A plan that the user approves, changes or refuses.' },
}
