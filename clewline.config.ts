import { createResearchAgent } from '@clewline/example-research'
import { defineConfig } from '@clewline/server'

// What `npm start` serves: the example agents, on a scripted model that needs no provider. `npm start -- --model
// ollama:llama3.2` (or openai:…, anthropic:…) puts a real one in its place.
export default defineConfig(({ model }) => ({
  agents: {
    research: createResearchAgent(model === undefined ? {} : { model }),
  },
  info: {
    name: 'Clewline examples',
    model: model ?? 'scripted-offline',
    scripted: model === undefined,
    prices: {
      // USD per million tokens. The scripted model costs nothing; its price is here to show the meters at work.
      'scripted-offline': { input: 0.5, output: 2, context: 32_000 },
    },
  },
}))
