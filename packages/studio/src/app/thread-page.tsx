import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { CallDetail } from '../calls/call-detail.tsx'
import type { Command } from '../commands/command.ts'
import { useCommands } from '../commands/offered-commands.ts'
import { Conversation } from '../conversation/conversation.tsx'
import { SplitPane } from '../design/split-pane.tsx'
import { ReplayBar } from '../replay/replay-bar.tsx'
import { settings } from '../settings.ts'
import type { Page } from '../store/page-context.ts'
import { ThreadContexts } from '../store/thread-contexts.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Inspector, INSPECTOR_TABS, type InspectorTab } from './inspector.tsx'

/** The page about one thread, of a server or of a file: conversation, inspector, replay. */
export function ThreadPage(props: {
  readonly store: ThreadStore
  readonly page: Page
  readonly tab: InspectorTab
  readonly onTab: (tab: InspectorTab) => void
  readonly header: ReactNode
  readonly empty: ReactNode
  readonly composer?: ReactNode
}): ReactNode {
  const { store, page, tab } = props
  const state = useStore(store)
  const { view, timeline } = state
  useCommands(() => [
    ...INSPECTOR_TABS.filter((name) => name !== 'chat').map((name, index): Command => ({
      id: `tab ${name}`,
      title: `Show ${name}`,
      group: 'This thread',
      key: String(index + 1),
      run: () => props.onTab(name),
    })),
    ...(page.selected === null
      ? []
      : [
          {
            id: 'close',
            title: 'Close details',
            group: 'This thread',
            key: 'Escape',
            run: () => page.select(null),
          } as const,
        ]),
  ])
  const width = useStore(settings, ({ inspector }) => inspector)
  return (
    <ThreadContexts page={page} view={view} timeline={timeline}>
      <div className="cw-page" data-loaded={state.isLoaded || undefined}>
        {props.header}
        <SplitPane
          className="cw-page-body"
          data-tab={tab}
          label="Width of the inspector"
          size={width}
          min={340}
          onSize={(inspector) => settings.setState({ inspector })}
          first={
            <ErrorBoundary>
              <Conversation empty={props.empty} footer={props.composer} />
            </ErrorBoundary>
          }
          second={
            <ErrorBoundary>
              <Inspector
                state={state}
                tab={tab}
                onTab={props.onTab}
                detail={page.selected === null ? null : <CallDetail />}
              />
            </ErrorBoundary>
          }
        />
        <ReplayBar store={store} />
      </div>
    </ThreadContexts>
  )
}
