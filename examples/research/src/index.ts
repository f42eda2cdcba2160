export { createResearchAgent } from './create-research-agent.ts'
export type { ResearchAgentOptions } from './create-research-agent.ts'
export { ScriptedResearchModel } from './scripted-research-model.ts'
