import '@fontsource-variable/geist/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import '../style.css'
import './app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { preloadParts } from './preload-parts.ts'
import { applyTheme, settings, takeToken } from '../settings.ts'

applyTheme(settings.getState().theme)
takeToken()
// Opened in a tab that shows the studio already, the link only changes the part behind the `#`.
window.addEventListener('hashchange', () => {
  if (takeToken()) window.location.reload()
})
const host = document.getElementById('studio')
if (host !== null) {
  createRoot(host).render(
    <StrictMode>
      <ErrorBoundary>
        <App />
      </ErrorBoundary>
    </StrictMode>,
  )
}
preloadParts()
