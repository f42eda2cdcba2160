export { fromPrompt } from './from-prompt.ts'
export type { FromPromptOptions } from './from-prompt.ts'
