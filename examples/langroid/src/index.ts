export { startExampleAgents } from './example-agents.ts'
export type { ExampleAgentOptions, ExampleAgents } from './example-agents.ts'
export { startExampleServer } from './example-server.ts'
export type { ExampleServer, ExampleServerOptions } from './example-server.ts'
