import type { Json } from '@clewline/core'
import { useState, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { FieldsView } from '../design/fields-view.tsx'
import { Segments } from '../design/segments.tsx'
import { decisionsOf, draftFor, type ActionDraft } from './decide.ts'
import type { Decision, ReviewedAction } from './review.ts'

const TEXT: Readonly<Record<Decision, string>> = { approve: 'Approve', edit: 'Edit', reject: 'Reject' }

/** Approve, edit or reject each action. To approve takes one click, for one action or for all of them. */
export function AskReview(props: {
  readonly actions: readonly ReviewedAction[]
  readonly isBusy: boolean
  readonly onAnswer: (value: Json) => void
}): ReactNode {
  const { actions, isBusy } = props
  const [drafts, setDrafts] = useState(() => actions.map(draftFor))
  const [problem, setProblem] = useState('')
  const isUndecided = drafts.every(({ decision }) => decision === null)
  const isApprovable = actions.every(({ allowed }) => allowed.includes('approve'))

  function answer(made: readonly ActionDraft[]): void {
    const decided = decisionsOf(actions, made)
    if ('problem' in decided) setProblem(decided.problem)
    else props.onAnswer(decided.value)
  }
  function change(index: number, part: Partial<ActionDraft>): void {
    setProblem('')
    setDrafts(drafts.map((draft, at) => (at === index ? { ...draft, ...part } : draft)))
  }

  return (
    <>
      {actions.map((action, index) => (
        <Action
          key={index}
          action={action}
          draft={drafts[index] ?? draftFor(action)}
          isOneOfMany={actions.length > 1}
          onChange={(part) => change(index, part)}
        />
      ))}
      {problem !== '' && (
        <p className="cw-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="cw-dialog-actions">
        {isUndecided ? (
          <>
            {actions.length === 1 && (
              <Others action={actions[0]} isBusy={isBusy} onChoose={(decision) => change(0, { decision })} />
            )}
            {isApprovable && (
              <Button
                look="primary"
                size="small"
                disabled={isBusy}
                onClick={() => answer(drafts.map((draft) => ({ ...draft, decision: 'approve' })))}
              >
                {actions.length > 1 ? `Approve all ${actions.length}` : 'Approve'}
              </Button>
            )}
          </>
        ) : (
          <>
            <Button size="small" look="quiet" onClick={() => setDrafts(actions.map(draftFor))}>
              Back
            </Button>
            <Button
              look={drafts.some(({ decision }) => decision === 'reject') ? 'danger' : 'primary'}
              size="small"
              disabled={isBusy}
              onClick={() => answer(drafts)}
            >
              {sendText(drafts)}
            </Button>
          </>
        )}
      </div>
    </>
  )
}

function sendText(drafts: readonly ActionDraft[]): string {
  const [only] = drafts
  if (drafts.length > 1 || only === undefined) return 'Send decisions'
  return only.decision === 'edit' ? 'Approve as edited' : only.decision === 'reject' ? 'Reject' : 'Approve'
}

/** What else than to approve can be done with the one action there is. */
function Others(props: {
  readonly action: ReviewedAction | undefined
  readonly isBusy: boolean
  readonly onChoose: (decision: Decision) => void
}): ReactNode {
  const others = (['reject', 'edit'] as const).filter((decision) => props.action?.allowed.includes(decision))
  return others.map((decision) => (
    <Button key={decision} size="small" disabled={props.isBusy} onClick={() => props.onChoose(decision)}>
      {TEXT[decision]}
    </Button>
  ))
}

function Action(props: {
  readonly action: ReviewedAction
  readonly draft: ActionDraft
  readonly isOneOfMany: boolean
  readonly onChange: (part: Partial<ActionDraft>) => void
}): ReactNode {
  const { action, draft, onChange } = props
  return (
    <div className="cw-action">
      <div className="cw-action-head">
        <span className="cw-tool-name">{action.name}</span>
        {props.isOneOfMany && (
          <Segments
            label={`Decision about ${action.name}`}
            options={action.allowed.map((value) => ({ value, text: TEXT[value] }))}
            value={draft.decision ?? ''}
            onChange={(decision) => onChange({ decision })}
          />
        )}
      </div>
      {action.description !== '' && <p className="cw-action-about">{action.description}</p>}
      {draft.decision === 'edit' ? (
        <textarea
          className="cw-input cw-mono"
          aria-label={`Arguments of ${action.name}`}
          rows={Math.min(12, draft.args.split('\n').length + 1)}
          value={draft.args}
          onChange={(event) => onChange({ args: event.target.value })}
        />
      ) : (
        <FieldsView value={action.args} label={`Arguments of ${action.name}`} />
      )}
      {draft.decision === 'reject' && (
        <input
          className="cw-input"
          aria-label={`Why reject ${action.name}`}
          placeholder="Tell the agent why (optional)"
          value={draft.message}
          onChange={(event) => onChange({ message: event.target.value })}
        />
      )}
    </div>
  )
}
