export { ConnectableHttpAgent } from './connectable-http-agent.ts'
export type { ConnectableHttpAgentConfig } from './connectable-http-agent.ts'
