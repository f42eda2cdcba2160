import type { Json } from '@clewline/core'
import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import type { Question } from './review.ts'

export function AskChoice(props: {
  readonly question: Extract<Question, { asks: 'choice' }>
  readonly isBusy: boolean
  readonly onAnswer: (value: Json) => void
}): ReactNode {
  return (
    <>
      <p>{props.question.text}</p>
      <div className="cw-choices">
        {props.question.options.map((option) => (
          <Button key={option} disabled={props.isBusy} onClick={() => props.onAnswer(option)}>
            {option}
          </Button>
        ))}
      </div>
    </>
  )
}
