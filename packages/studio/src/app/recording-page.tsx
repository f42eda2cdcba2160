import { FileDown } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { chooseFile } from '../replay/choose-file.ts'
import type { Page } from '../store/page-context.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { PageHeader } from '../design/page-header.tsx'
import { ThreadEmpty } from './thread-empty.tsx'
import { ThreadHeader } from './thread-header.tsx'
import { ThreadPage } from './thread-page.tsx'
import type { InspectorTab } from './inspector.tsx'

/** A JSONL of envelopes, opened without any server. */
export function RecordingPage(props: {
  readonly store: ThreadStore | null
  readonly onMenu: () => void
  readonly onOpen: (file: File) => void
}): ReactNode {
  if (props.store !== null) return <Opened store={props.store} onMenu={props.onMenu} onOpen={props.onOpen} />
  return (
    <>
      <PageHeader title="Recording" onMenu={props.onMenu} />
      <EmptyState
        icon={FileDown}
        title="Open a recording"
        action={
          <Button look="primary" onClick={() => chooseFile(props.onOpen)}>
            Choose a file
          </Button>
        }
      >
        Drop a JSONL of envelopes anywhere on this page. It is read here and sent nowhere; no server is
        needed.
      </EmptyState>
    </>
  )
}

function Opened(props: {
  readonly store: ThreadStore
  readonly onMenu: () => void
  readonly onOpen: (file: File) => void
}): ReactNode {
  const { store } = props
  const state = useStore(store)
  const [selected, select] = useState<string | null>(null)
  const [tab, setTab] = useState<InspectorTab>('chat')
  const page = useMemo<Page>(() => ({ agent: '', selected, select, prices: {}, isDebug: false }), [selected])
  const name = state.connection.type === 'file' ? state.connection.name : 'Recording'
  return (
    <ThreadPage
      store={store}
      page={page}
      tab={tab}
      onTab={setTab}
      empty={<ThreadEmpty state={state} />}
      header={
        <ThreadHeader
          title={name}
          state={state}
          onMenu={props.onMenu}
          actions={
            <Button size="small" onClick={() => chooseFile(props.onOpen)}>
              Open another
            </Button>
          }
        />
      }
    />
  )
}
