export { createLibraryAgent } from './create-library-agent.ts'
export type { LibraryAgent } from './create-library-agent.ts'
