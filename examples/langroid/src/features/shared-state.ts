import { ChatAgent, ToolMessage } from '@clewline/langroid'
import { z } from 'zod'
import type { Feature } from '../feature.ts'

const Recipe = z.object({
  title: z.string(),
  skill_level: z.string(),
  cooking_time: z.string(),
  special_preferences: z.array(z.string()).default([]),
  ingredients: z.array(z.object({ icon: z.string(), name: z.string(), amount: z.string() })),
  instructions: z.array(z.string()),
  changes: z.string().default(''),
})

const GenerateRecipe = ToolMessage({
  request: 'generate_recipe',
  purpose: 'To replace the recipe that the user is working on by a better <recipe>.',
  fields: z.object({ recipe: Recipe }),
  handle: () => 'The recipe was updated.',
})

/** A recipe that page and model edit together: the model is told what the page holds, the page shows what it changes. */
export const sharedState: Feature = {
  name: 'shared_state',
  python: 'shared_state:build',
  native: (model) =>
    ChatAgent({
      name: 'shared_state',
      model,
      systemMessage: 'You improve the recipe of the user. Change it only with generate_recipe.',
      tools: [GenerateRecipe],
    }),
  config: {
    description: 'A recipe that client and agent edit together.',
    stateContextBuilder: ({ state }, prompt) =>
      state['recipe'] === undefined
        ? prompt
        : `Current recipe: ${JSON.stringify(state['recipe'])}\n\nUser: ${prompt}`,
    toolBehaviors: {
      generate_recipe: {
        // Shown as soon as the model has written it, before the tool has run.
        stateFromArgs: ({ args }) => z.object({ recipe: Recipe }).parse(args),
      },
    },
  },
}
