import { CopilotChat, CopilotKitProvider } from '@copilotkit/react-core/v2'
import '@copilotkit/react-core/v2/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

// The thread is in the address, so that a reload, a second tab and another device all open the same one.
const query = new URLSearchParams(location.search)
const agentId = query.get('agent') ?? 'agent'
const threadId = query.get('thread') ?? '00000000-0000-4000-8000-000000000001'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no #root.')
createRoot(root).render(
  <StrictMode>
    <CopilotKitProvider runtimeUrl="/api/copilotkit">
      <CopilotChat agentId={agentId} threadId={threadId} />
    </CopilotKitProvider>
  </StrictMode>,
)
