import { createResearchAgent } from './create-research-agent.ts'

// For a LangGraph server (`langgraph.json`). `RESEARCH_MODEL` names a real model, such as `ollama:llama3.1`;
// without it the scripted one answers, with `RESEARCH_PACE_MS` between its tokens.
const { RESEARCH_MODEL: model = '', RESEARCH_PACE_MS: pace = '' } = process.env

export const graph = createResearchAgent({
  ...(model === '' ? {} : { model }),
  ...(pace === '' ? {} : { paceMs: Number(pace) }),
})
