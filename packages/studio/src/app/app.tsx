import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react'
import { createNotices, Notices } from '../background/notices.tsx'
import { currentRoute, goTo, useRoute } from '../routes/use-route.ts'
import { createThreadStore, type ThreadStore } from '../store/thread-store.ts'
import { readRecording } from '../replay/read-recording.ts'
import { DropZone } from '../replay/drop-zone.tsx'
import { createDirectory } from '../threads/directory.ts'
import { statusText } from '../design/status-text.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { HomePage } from './home-page.tsx'
import { RecordingPage } from './recording-page.tsx'
import { api } from './services.ts'
import { Sidebar } from './sidebar.tsx'
import { AccessGate } from './access-gate.tsx'
import { ServerThreadPage } from './server-thread-page.tsx'

const BackgroundPage = lazy(() => import('../background/background-page.tsx'))
const ComparePage = lazy(() => import('../replay/compare-page.tsx'))

export function App(): ReactNode {
  const route = useRoute()
  const notices = useMemo(() => createNotices(), [])
  const directory = useMemo(
    () =>
      createDirectory(api, (run) => {
        const here = currentRoute()
        if (here.to === 'thread' && here.thread === run.thread_id) return
        const title = directory.getState().threads.find(({ thread_id }) => thread_id === run.thread_id)?.title
        notices.add({
          title: `${title ?? run.agent}: ${statusText(run.status).toLowerCase()}`,
          text: run.cron_id ? 'A scheduled run finished.' : 'A run finished in another thread.',
          status: run.status,
          thread: run.thread_id,
        })
      }),
    [notices],
  )
  useEffect(() => directory.start(), [directory])
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [recording, setRecording] = useState<ThreadStore | null>(null)
  useEffect(() => setMenuOpen(false), [route])

  function open(file: File): void {
    const store = createThreadStore()
    setRecording(store)
    goTo({ to: 'recording' })
    void readRecording(file, store)
  }

  return (
    <CSPProvider disableStyleElements>
      <DropZone onFile={open}>
        <div className="sk-app" data-menu={isMenuOpen || undefined}>
          <a className="sk-skip" href="#sk-main" onClick={focusMain}>
            Skip to content
          </a>
          <Sidebar directory={directory} route={route} onOpen={open} onClose={() => setMenuOpen(false)} />
          <main id="sk-main" tabIndex={-1}>
            <AccessGate directory={directory}>
              <ErrorBoundary key={route.to === 'thread' ? route.thread : route.to}>
                <Suspense fallback={null}>
                  {route.to === 'home' && (
                    <HomePage directory={directory} onMenu={() => setMenuOpen(true)} onOpen={open} />
                  )}
                  {route.to === 'thread' && (
                    <ServerThreadPage
                      key={route.thread}
                      route={route}
                      directory={directory}
                      notices={notices}
                      onMenu={() => setMenuOpen(true)}
                    />
                  )}
                  {route.to === 'recording' && (
                    <RecordingPage store={recording} onMenu={() => setMenuOpen(true)} onOpen={open} />
                  )}
                  {route.to === 'background' && (
                    <BackgroundPage directory={directory} onMenu={() => setMenuOpen(true)} />
                  )}
                  {route.to === 'compare' && (
                    <ComparePage
                      directory={directory}
                      route={route}
                      recording={recording}
                      onMenu={() => setMenuOpen(true)}
                    />
                  )}
                </Suspense>
              </ErrorBoundary>
            </AccessGate>
          </main>
          {isMenuOpen && (
            <button
              type="button"
              className="sk-scrim"
              aria-label="Close the menu"
              onClick={() => setMenuOpen(false)}
            />
          )}
        </div>
        <Notices notices={notices} />
      </DropZone>
    </CSPProvider>
  )
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('sk-main')?.focus()
}
