import { createResearchAgent } from '@clewline/example-research'
import { stories } from './stories.ts'

/** The server of the browser suite: the research agent, and one scripted agent per thing that is hard to provoke. */
export default {
  agents: { research: createResearchAgent({ paceMs: Number(process.env['PACE_MS'] ?? 4) }), ...stories },
  info: {
    scripted: true,
    model: 'scripted-offline',
    prices: { 'scripted-offline': { input: 1, output: 4 } },
  },
}
