import type { ReactNode } from 'react'
import { CallTree } from '../calls/call-tree.tsx'
import { LaneView } from '../calls/lane-view.tsx'
import { useMediaQuery } from '../design/use-media-query.ts'
import { FilesPanel } from '../files/files-panel.tsx'
import { HealthPanel } from '../health/health-panel.tsx'
import { MetersPanel } from '../meters/meters-panel.tsx'
import { PlanPanel } from '../plan/plan-panel.tsx'
import type { ThreadState } from '../store/thread-store.ts'

export const INSPECTOR_TABS = ['chat', 'calls', 'timeline', 'plan', 'files', 'usage', 'health'] as const
export type InspectorTab = (typeof INSPECTOR_TABS)[number]

const TEXT: Readonly<Record<InspectorTab, string>> = {
  chat: 'Chat',
  calls: 'Calls',
  timeline: 'Timeline',
  plan: 'Plan',
  files: 'Files',
  usage: 'Usage',
  health: 'Health',
}

export function toTab(tab: string | undefined): InspectorTab {
  return INSPECTOR_TABS.find((known) => known === tab) ?? 'chat'
}

/** Everything about a thread besides what was said. On a phone the conversation is its first tab. */
export function Inspector(props: {
  readonly state: ThreadState
  readonly tab: InspectorTab
  readonly onTab: (tab: InspectorTab) => void
  readonly detail: ReactNode
}): ReactNode {
  const { state, detail } = props
  const isNarrow = useMediaQuery('(max-width: 900px)')
  // Beside a conversation there is no tab for it: the tree stands there instead.
  const tab = props.tab === 'chat' && !isNarrow ? 'calls' : props.tab
  return (
    <div className="cw-inspector" data-detail={detail !== null || undefined}>
      <div className="cw-tabs" role="tablist" aria-label="Inspector">
        {INSPECTOR_TABS.filter((name) => isNarrow || name !== 'chat').map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`cw-tab-${name}`}
            className="cw-tab cw-focusable"
            data-tab={name}
            aria-selected={name === tab}
            aria-controls="cw-panel"
            onClick={() => props.onTab(name)}
          >
            {TEXT[name]}
            <Count state={state} tab={name} />
          </button>
        ))}
      </div>
      <div className="cw-panel" id="cw-panel" role="tabpanel" aria-labelledby={`cw-tab-${tab}`}>
        {tab === 'calls' && <CallTree />}
        {tab === 'timeline' && <LaneView />}
        {tab === 'plan' && <PlanPanel />}
        {tab === 'files' && <FilesPanel />}
        {tab === 'usage' && <MetersPanel />}
        {tab === 'health' && <HealthPanel state={state} />}
      </div>
      {detail !== null && <div className="cw-inspector-detail">{detail}</div>}
    </div>
  )
}

function Count({ state, tab }: { readonly state: ThreadState; readonly tab: InspectorTab }): ReactNode {
  const { view, intake } = state
  if (tab === 'plan' && view.todos.length > 0) {
    const done = view.todos.filter(({ status }) => status === 'completed').length
    return (
      <span className="cw-tab-count cw-num">
        {done}/{view.todos.length}
      </span>
    )
  }
  const trouble = intake.missing + intake.problemCount + view.warnings.length
  const count =
    tab === 'files'
      ? view.files.size
      : tab === 'chat'
        ? view.interrupts.length
        : tab === 'health'
          ? trouble
          : 0
  if (count === 0) return null
  return (
    <span className="cw-tab-count cw-num" data-tone={tab === 'files' ? undefined : 'warn'}>
      {count}
    </span>
  )
}
