import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { CommandCenter } from '../commands/command-center.tsx'
import type { Run } from '@clewline/client'
import { createNotices, Notices, type NoticeBoard } from '../background/notices.tsx'
import { client } from '../connection/client.ts'
import type { Route } from '../routes/route.ts'
import { currentRoute, goTo, useRoute } from '../routes/use-route.ts'
import { createThreadStore, type ThreadStore } from '../store/thread-store.ts'
import { readRecording } from '../replay/read-recording.ts'
import { DropZone } from '../replay/drop-zone.tsx'
import { createDirectory, type Directory } from '../threads/directory.ts'
import { statusText } from '../design/status-text.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { HomePage } from './home-page.tsx'
import { RecordingPage } from './recording-page.tsx'
import { appCommands } from './app-commands.ts'
import { Sidebar } from './sidebar.tsx'
import { AccessGate } from './access-gate.tsx'
import { ServerThreadPage } from './server-thread-page.tsx'

const BackgroundPage = lazy(() => import('../background/background-page.tsx'))
const ComparePage = lazy(() => import('../replay/compare-page.tsx'))

export function App(): ReactNode {
  const route = useRoute()
  const [{ directory, notices }] = useState(createServices)
  useEffect(() => directory.start(), [directory])
  // Where the menu was opened: going elsewhere closes it.
  const [menuAt, setMenuAt] = useState<Route | null>(null)
  const isMenuOpen = menuAt === route
  const [hasCommands, setCommands] = useState(false)
  const [recording, setRecording] = useState<ThreadStore | null>(null)

  const openMenu = (): void => setMenuAt(route)
  const closeMenu = (): void => setMenuAt(null)
  function open(file: File): void {
    const store = createThreadStore()
    setRecording(store)
    goTo({ to: 'recording' })
    void readRecording(file, store)
  }

  return (
    <DropZone onFile={open}>
      <div className="cw-app" data-menu={isMenuOpen || undefined}>
        <a className="cw-skip" href="#cw-main" onClick={focusMain}>
          Skip to content
        </a>
        <Sidebar
          directory={directory}
          route={route}
          onCommands={() => {
            closeMenu()
            setCommands(true)
          }}
          onOpen={open}
          onClose={closeMenu}
        />
        <main id="cw-main" tabIndex={-1}>
          <AccessGate directory={directory}>
            <ErrorBoundary key={route.to === 'thread' ? route.thread : route.to}>
              <Suspense fallback={null}>
                {route.to === 'home' && (
                  <HomePage route={route} directory={directory} onMenu={openMenu} onOpen={open} />
                )}
                {route.to === 'thread' && (
                  <ServerThreadPage
                    key={route.thread}
                    route={route}
                    directory={directory}
                    notices={notices}
                    onMenu={openMenu}
                  />
                )}
                {route.to === 'recording' && (
                  <RecordingPage store={recording} onMenu={openMenu} onOpen={open} />
                )}
                {route.to === 'background' && <BackgroundPage directory={directory} onMenu={openMenu} />}
                {route.to === 'compare' && (
                  <ComparePage directory={directory} route={route} onMenu={openMenu} />
                )}
              </Suspense>
            </ErrorBoundary>
          </AccessGate>
        </main>
        {isMenuOpen && (
          <button type="button" className="cw-scrim" aria-label="Close the menu" onClick={closeMenu} />
        )}
      </div>
      <CommandCenter
        isOpen={hasCommands}
        onOpen={setCommands}
        commands={() => appCommands(directory, open)}
      />
      <Notices notices={notices} open={route.to === 'thread' ? route.thread : null} />
    </DropZone>
  )
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('cw-main')?.focus()
}

function createServices(): { readonly directory: Directory; readonly notices: NoticeBoard } {
  const notices = createNotices()
  const directory = createDirectory(client, (run) => {
    const here = currentRoute()
    if (here.to === 'thread' && here.thread === run.thread_id) return
    const title = directory.getState().known.get(run.thread_id)?.title
    notices.add({
      title: `${title ?? run.agent}: ${statusText(run.status).toLowerCase()}`,
      text: noticeText(run),
      status: run.status,
      thread: run.thread_id,
    })
  })
  return { directory, notices }
}

function noticeText(run: Run): string {
  if (run.status === 'interrupted') return 'An agent asks you something in another thread.'
  return run.cron_id ? 'A scheduled run finished.' : 'A run finished in another thread.'
}
