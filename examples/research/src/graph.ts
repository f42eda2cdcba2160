import { createResearchAgent } from './create-research-agent.ts'

/** For a LangGraph server (`langgraph.json`). `RESEARCH_MODEL` names a real model, such as `ollama:llama3.1`. */
const model = process.env['RESEARCH_MODEL']

export const graph = createResearchAgent(model === undefined || model === '' ? {} : { model })
