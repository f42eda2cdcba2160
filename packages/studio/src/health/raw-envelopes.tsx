import type { Entry } from '@clewline/core'
import type { Call } from '@clewline/core/view'
import { Braces } from 'lucide-react'
import { useContext, useState, type ReactNode } from 'react'
import { JsonView } from '../design/json-view.tsx'
import { usePage, ViewContext } from '../store/page-context.ts'

const MOST = 50

/** In debug, the envelopes that an item is made of, as they came. */
export function RawEnvelopes({ call }: { readonly call: Call }): ReactNode {
  const { isDebug } = usePage()
  const [isOpen, setOpen] = useState(false)
  if (!isDebug) return null
  return (
    <div className="cw-raw">
      <button
        type="button"
        className="cw-disclosure cw-focusable"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Braces size={12} aria-hidden />
        {call.seq} envelopes
      </button>
      {isOpen && <EnvelopeList call={call} />}
    </div>
  )
}

export function EnvelopeList({ call }: { readonly call: Call }): ReactNode {
  const { timeline } = useContext(ViewContext)
  const found: Entry[] = []
  for (let index = call.first; index <= call.last && found.length < MOST; index++) {
    const entry = timeline.entry(index)
    if (entry?.envelope.call_id === call.id) found.push(entry)
  }
  return (
    <div>
      {found.map(({ position, envelope }) => (
        <JsonView key={position} value={envelope} label={`Envelope ${position}`} />
      ))}
      {found.length === MOST && (
        <p className="cw-hint">The first {MOST} are shown. Export the run for all of them.</p>
      )}
    </div>
  )
}
