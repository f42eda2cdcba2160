import type { Feature } from './feature.ts'
import { agenticChat } from './features/agentic-chat.ts'
import { agenticGenerativeUi } from './features/agentic-generative-ui.ts'
import { backendToolRendering } from './features/backend-tool-rendering.ts'
import { humanInTheLoop } from './features/human-in-the-loop.ts'
import { sharedState } from './features/shared-state.ts'

export const features: readonly Feature[] = [
  agenticChat,
  backendToolRendering,
  sharedState,
  agenticGenerativeUi,
  humanInTheLoop,
]
