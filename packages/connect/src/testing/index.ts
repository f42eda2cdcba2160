export { langGraphServer } from './langgraph-server.ts'
export type { LangGraphServer } from './langgraph-server.ts'
