import type { Call } from '@clewline/core/view'
import { useState, type ReactNode } from 'react'
import { explain } from '../connection/explain.ts'
import { Button } from '../design/button.tsx'
import { usePage } from '../store/page-context.ts'

/** A tool that runs in the page: its result is given by hand here, and by code in a page of one's own. */
export function PendingFrontend({ call }: { readonly call: Call }): ReactNode {
  const { actions, agent } = usePage()
  const [result, setResult] = useState('')
  const [problem, setProblem] = useState('')
  const { tool_call_id } = call
  if (actions === undefined || tool_call_id === undefined) return null
  async function give(): Promise<void> {
    if (actions === undefined || tool_call_id === undefined) return
    try {
      await actions.giveResult(tool_call_id, call.name, result, agent)
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <form
      className="cw-interrupt"
      aria-label={`Result of ${call.name}`}
      onSubmit={(event) => {
        event.preventDefault()
        void give()
      }}
    >
      <p>
        The agent called <b>{call.name}</b>, a tool that this page runs. Give its result to go on.
      </p>
      <textarea
        className="cw-input"
        aria-label={`Result of ${call.name}`}
        rows={2}
        value={result}
        onChange={(event) => setResult(event.target.value)}
      />
      {problem !== '' && (
        <p className="cw-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="cw-dialog-actions">
        <Button type="submit" look="primary" size="small" disabled={result === ''}>
          Give result
        </Button>
      </div>
    </form>
  )
}
