import type { Json } from '@skein/core'
import { useState, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { JsonView } from '../design/json-view.tsx'
import { Segments } from '../design/segments.tsx'
import { decisionsOf, draftFor, type ActionDraft } from './decide.ts'
import type { Decision, ReviewedAction } from './review.ts'

const TEXT: Readonly<Record<Decision, string>> = { approve: 'Approve', edit: 'Edit', reject: 'Reject' }

/** Approve, edit or reject each action. One action is decided with one click. */
export function AskReview(props: {
  readonly actions: readonly ReviewedAction[]
  readonly isBusy: boolean
  readonly onAnswer: (value: Json) => void
}): ReactNode {
  const { actions } = props
  const [drafts, setDrafts] = useState(() => actions.map(draftFor))
  const [problem, setProblem] = useState('')

  function answer(made: readonly ActionDraft[]): void {
    const decided = decisionsOf(actions, made)
    if ('problem' in decided) setProblem(decided.problem)
    else props.onAnswer(decided.value)
  }
  function change(index: number, part: Partial<ActionDraft>): void {
    setProblem('')
    setDrafts(drafts.map((draft, at) => (at === index ? { ...draft, ...part } : draft)))
  }
  const isAllApproval = actions.every(({ allowed }) => allowed.includes('approve'))
  const isUndecided = drafts.every(({ decision }) => decision === null)

  return (
    <>
      {actions.map((action, index) => (
        <Action
          key={index}
          action={action}
          draft={drafts[index] ?? draftFor(action)}
          onChange={(part) => change(index, part)}
        />
      ))}
      {problem !== '' && (
        <p className="sk-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="sk-dialog-actions">
        {isAllApproval && isUndecided ? (
          <Button
            look="primary"
            size="small"
            disabled={props.isBusy}
            onClick={() => answer(drafts.map((draft) => ({ ...draft, decision: 'approve' })))}
          >
            {actions.length > 1 ? `Approve all ${actions.length}` : 'Approve'}
          </Button>
        ) : (
          <Button look="primary" size="small" disabled={props.isBusy} onClick={() => answer(drafts)}>
            Send {actions.length > 1 ? 'decisions' : 'decision'}
          </Button>
        )}
      </div>
    </>
  )
}

function Action(props: {
  readonly action: ReviewedAction
  readonly draft: ActionDraft
  readonly onChange: (part: Partial<ActionDraft>) => void
}): ReactNode {
  const { action, draft, onChange } = props
  return (
    <div className="sk-action">
      <div className="sk-action-head">
        <span className="sk-tool-name">{action.name}</span>
        <Segments
          label={`Decision about ${action.name}`}
          options={action.allowed.map((value) => ({ value, text: TEXT[value] }))}
          value={draft.decision ?? ''}
          onChange={(decision) => onChange({ decision })}
        />
      </div>
      {action.description !== '' && <p className="sk-hint">{action.description}</p>}
      {draft.decision === 'edit' ? (
        <textarea
          className="sk-input sk-mono"
          aria-label={`Arguments of ${action.name}`}
          rows={Math.min(12, draft.args.split('\n').length + 1)}
          value={draft.args}
          onChange={(event) => onChange({ args: event.target.value })}
        />
      ) : (
        <JsonView value={action.args} label={`Arguments of ${action.name}`} />
      )}
      {draft.decision === 'reject' && (
        <input
          className="sk-input"
          aria-label={`Why reject ${action.name}`}
          placeholder="Tell the agent why (optional)"
          value={draft.message}
          onChange={(event) => onChange({ message: event.target.value })}
        />
      )}
    </div>
  )
}
