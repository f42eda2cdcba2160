import '@clewline/studio/style.css'
import './page.css'
import { createRoot } from 'react-dom/client'
import { SupportDesk } from './support-desk.tsx'

const thread = new URLSearchParams(window.location.search).get('thread') ?? 'desk'
const host = document.getElementById('page')
if (host !== null) createRoot(host).render(<SupportDesk thread={thread} agent="research" />)
