import type { Call } from '@clewline/core/view'
import { CircleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { errorAdvice } from './error-advice.ts'

/** What went wrong and what to do about it; the stack is one click away. */
export function ErrorCard({ call }: { readonly call: Call }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  if (call.error === undefined) return null
  const { message, stack } = call.error
  const kind = call.error.class
  return (
    <div className="cw-error" role="alert">
      <CircleAlert size={15} aria-hidden />
      <div>
        <strong>
          {call.name} failed{kind !== '' && kind !== 'Error' && `: ${kind}`}
        </strong>
        <p className="cw-error-message">{message}</p>
        <p className="cw-hint">{errorAdvice(call.error)}</p>
        {stack !== '' && (
          <button
            type="button"
            className="cw-link cw-focusable"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide stack' : 'Show stack'}
          </button>
        )}
        {isOpen && (
          <pre className="cw-json cw-focusable" tabIndex={0}>
            {stack}
          </pre>
        )}
      </div>
    </div>
  )
}
