import type { File } from '@clewline/core/view'
import { CirclePlus, CircleX, PencilLine } from 'lucide-react'
import { useContext, type ReactNode } from 'react'
import { callTitle } from '../calls/call-title.ts'
import { formatBytes, formatClock } from '../design/format.ts'
import { useHue } from '../design/hue.ts'
import { usePage, ViewContext } from '../store/page-context.ts'

const ICONS = { added: CirclePlus, changed: PencilLine, removed: CircleX } as const

/** Which call changed the file, newest first; a click shows the call everywhere. */
export function FileHistory({ file }: { readonly file: File }): ReactNode {
  const page = usePage()
  const hueOf = useHue()
  const { view, timeline } = useContext(ViewContext)
  const start = timeline.entry(0)?.envelope.ts ?? 0
  return (
    <ol className="cw-history" aria-label={`History of ${file.name}`}>
      {file.history.toReversed().map((change) => {
        const Icon = ICONS[change.kind]
        const call = view.calls.get(change.call_id)
        return (
          <li key={change.at}>
            <button type="button" className="cw-focusable" onClick={() => page.select(change.call_id)}>
              <Icon size={14} aria-hidden />
              <span>
                <b>{change.kind}</b> by <span style={{ color: hueOf(change.agent) }}>{change.agent}</span>
                {call !== undefined && call.kind === 'tool' && ` with ${callTitle(call)}`}
              </span>
              <span className="cw-grow" />
              {change.content !== null && (
                <span className="cw-time">{formatBytes(change.content.length)}</span>
              )}
              <time
                className="cw-time cw-num"
                dateTime={new Date(change.ts * 1000).toISOString()}
                title={new Date(change.ts * 1000).toLocaleString()}
              >
                {formatClock(change.ts - start)}
              </time>
            </button>
          </li>
        )
      })}
    </ol>
  )
}
