export { startExampleServer } from './example-server.ts'
export type { ExampleServer, ExampleServerOptions } from './example-server.ts'
export { features } from './features.ts'
