import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import type { NoticeBoard } from '../background/notices.tsx'
import { RunLater } from '../background/run-later.tsx'
import { useCommands } from '../commands/offered-commands.ts'
import { client } from '../connection/client.ts'
import { explain } from '../connection/explain.ts'
import { Composer } from '../conversation/composer.tsx'
import { countAtPosition } from '../replay/count-at-position.ts'
import type { Route } from '../routes/route.ts'
import { currentRoute, goTo } from '../routes/use-route.ts'
import { settings } from '../settings.ts'
import { newId } from '../store/new-id.ts'
import type { Page } from '../store/page-context.ts'
import { threadSession } from '../store/thread-session.ts'
import type { Directory } from '../threads/directory.ts'
import { forkBefore } from '../threads/fork-before.ts'
import { RenameThread } from '../threads/rename-thread.tsx'
import { threadTitle } from '../threads/thread-title.ts'
import { ThreadEmpty } from './thread-empty.tsx'
import { ThreadHeader } from './thread-header.tsx'
import { ThreadMenu } from './thread-menu.tsx'
import { ThreadPage } from './thread-page.tsx'
import { toTab } from './inspector.tsx'

const NO_PRICES = {}

type ThreadRoute = Extract<Route, { to: 'thread' }>

/** A thread of the server: live, and steerable. */
export function ServerThreadPage(props: {
  readonly route: ThreadRoute
  readonly directory: Directory
  readonly notices: NoticeBoard
  readonly onMenu: () => void
}): ReactNode {
  const { route, directory, notices } = props
  const { thread: id } = route
  const profile = useStore(settings, (all) => all.profile)
  const session = useMemo(() => threadSession(client, id, profile), [id, profile])
  useEffect(() => session.start(), [session])
  const { store, actions } = session
  const state = useStore(store)
  const { info, agents } = useStore(directory)
  const thread = useStore(directory, ({ known }) => known.get(id))
  useEffect(() => void directory.learn(id), [directory, id])
  const latest = state.timeline.latest()
  const agent = thread?.agent ?? [...latest.runs.values()].at(-1)?.agent ?? agents[0]?.name ?? ''
  const [later, setLater] = useState<{ readonly text: string; readonly sent: () => void } | null>(null)
  const [isRenaming, setRenaming] = useState(false)
  useMoment(store, route)

  const prices = info?.prices ?? NO_PRICES
  const selected = route.call ?? null
  const page = useMemo<Page>(
    () => ({
      actions,
      agent,
      selected,
      select(call) {
        const here = currentRoute()
        if (here.to !== 'thread') return
        const { call: _old, ...rest } = here
        goTo(call === null ? rest : { ...rest, call }, 'replace')
      },
      prices,
      isDebug: profile === 'debug',
      async rerun(root, text) {
        try {
          const thread = await forkBefore(client, id, root, agent)
          directory.put(thread)
          const messages = [{ id: newId(), role: 'user', content: text }]
          await client.runs.create(thread.thread_id, { agent, input: { messages } })
          goTo({ to: 'thread', thread: thread.thread_id })
        } catch (error) {
          const { message, hint } = explain(error)
          notices.add({ title: 'Could not run from there', text: `${message} ${hint}`, status: 'error' })
        }
      },
    }),
    [actions, agent, directory, id, prices, notices, profile, selected],
  )
  const title = thread === undefined ? `Thread ${id.slice(0, 8)}` : threadTitle(thread)
  const isBusy =
    thread === undefined
      ? [...latest.runs.values()].some(({ status }) => status === 'running')
      : thread.status === 'busy'

  const asks = latest.interrupts.length > 0
  useDocumentTitle(`${asks ? '? ' : isBusy ? '● ' : ''}${title} · Clewline`)

  const stop = (): void =>
    void actions.stop().catch((error: unknown) => {
      notices.add({ title: 'Could not stop', text: explain(error).message, status: 'error' })
    })
  useCommands(() => [
    ...(isBusy ? [{ id: 'stop', title: 'Stop the run', group: 'This thread', run: stop } as const] : []),
    { id: 'write', title: 'Write a message', group: 'This thread', key: 'm', run: focusMessage },
  ])
  return (
    <>
      <ThreadPage
        store={store}
        page={page}
        tab={toTab(route.tab)}
        onTab={(tab) => goTo({ ...route, tab }, 'replace')}
        header={
          <ThreadHeader
            title={title}
            state={state}
            onMenu={props.onMenu}
            actions={
              <ThreadMenu
                thread={id}
                title={title}
                state={state}
                notices={notices}
                onFork={(made) => {
                  directory.put(made)
                  goTo({ to: 'thread', thread: made.thread_id })
                }}
                onRename={thread === undefined ? undefined : () => setRenaming(true)}
              />
            }
          />
        }
        empty={<ThreadEmpty state={state} />}
        composer={
          state.connection.type !== 'refused' && (
            <Composer isBusy={isBusy} onLater={(text, sent) => setLater({ text, sent })} />
          )
        }
      />
      {later !== null && (
        <RunLater
          text={later.text}
          agent={agent}
          thread={id}
          onClose={() => setLater(null)}
          onDone={(text) => {
            later.sent()
            notices.add({ title: 'Scheduled', text, status: 'ok' })
          }}
        />
      )}
      {isRenaming && thread !== undefined && (
        <RenameThread
          thread={thread}
          onClose={() => setRenaming(false)}
          onRename={async (text) => directory.put(await client.threads.update(id, { title: text }))}
        />
      )}
    </>
  )
}

function focusMessage(): void {
  document.querySelector<HTMLTextAreaElement>('.cw-composer textarea')?.focus()
}

/** The moment in the URL, by position in the log: once, when the history has come; then the URL follows the cursor. */
function useMoment(store: ReturnType<typeof threadSession>['store'], route: ThreadRoute): void {
  const { isLoaded, cursor, timeline } = useStore(store)
  const { thread } = route
  const wanted = useRef(route.at)
  useEffect(() => {
    if (!isLoaded) return
    if (wanted.current !== undefined) {
      const n = countAtPosition(timeline, wanted.current)
      wanted.current = undefined
      store.seek(n)
      return
    }
    const timer = setTimeout(() => {
      const here = currentRoute()
      if (here.to !== 'thread' || here.thread !== thread) return
      const { at: _old, ...rest } = here
      const at = cursor === null ? undefined : (timeline.entry(cursor - 1)?.position ?? 0)
      goTo(at === undefined ? rest : { ...rest, at }, 'replace')
    }, 300)
    return () => clearTimeout(timer)
  }, [cursor, isLoaded, store, thread, timeline])
}

/** The title of the browser's tab, for as long as the page is shown. */
function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = title
    return () => {
      document.title = before
    }
  }, [title])
}
