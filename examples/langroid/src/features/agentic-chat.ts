import { ChatAgent } from '@clewline/langroid'
import type { Feature } from '../feature.ts'

/** Plain chat. The tool `change_background` belongs to the page: the agent does not even know it. */
export const agenticChat: Feature = {
  name: 'agentic_chat',
  python: 'agentic_chat:build',
  native: (model) =>
    ChatAgent({
      name: 'agentic_chat',
      model,
      systemMessage: 'You are a helpful assistant. Use the tools you are given when the user asks for it.',
    }),
  config: { description: 'Chat with a frontend tool that changes the background.' },
}
