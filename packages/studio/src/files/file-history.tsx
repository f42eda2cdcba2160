import type { File } from '@skein/core/view'
import { CirclePlus, CircleX, PencilLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { callTitle } from '../calls/call-title.ts'
import { formatBytes } from '../design/format.ts'
import { hueOf } from '../design/hue.ts'
import { usePage, useView } from '../store/page-context.ts'

const ICONS = { added: CirclePlus, changed: PencilLine, removed: CircleX } as const

/** Which call changed the file, newest first; a click shows the call everywhere. */
export function FileHistory({ file }: { readonly file: File }): ReactNode {
  const page = usePage()
  const { calls } = useView()
  return (
    <ol className="sk-history" aria-label={`History of ${file.name}`}>
      {file.history.toReversed().map((change) => {
        const Icon = ICONS[change.kind]
        const call = calls.get(change.call_id)
        return (
          <li key={change.at}>
            <button type="button" className="sk-focusable" onClick={() => page.select(change.call_id)}>
              <Icon size={14} aria-hidden />
              <span>
                <b>{change.kind}</b> by <span style={{ color: hueOf(change.agent) }}>{change.agent}</span>
                {call !== undefined && call.kind === 'tool' && ` with ${callTitle(call)}`}
              </span>
              <span className="sk-grow" />
              {change.content !== null && (
                <span className="sk-time">{formatBytes(change.content.length)}</span>
              )}
              <time className="sk-time" dateTime={new Date(change.ts * 1000).toISOString()}>
                {new Date(change.ts * 1000).toLocaleTimeString()}
              </time>
            </button>
          </li>
        )
      })}
    </ol>
  )
}
