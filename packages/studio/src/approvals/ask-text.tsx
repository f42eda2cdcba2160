import type { Json } from '@clewline/core'
import { useState, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { FieldsView } from '../design/fields-view.tsx'
import { parseJson } from '../parse-json.ts'
import type { Question } from './review.ts'

/** An answer in words, or as JSON when that is what it is. */
export function AskText(props: {
  readonly question: Extract<Question, { asks: 'text' }>
  readonly isBusy: boolean
  readonly onAnswer: (value: Json) => void
}): ReactNode {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') props.onAnswer(readAnswer(text))
      }}
    >
      <p>{props.question.text}</p>
      {props.question.detail !== null && (
        <FieldsView value={props.question.detail} label="What it is about" />
      )}
      <textarea
        className="cw-input"
        aria-label="Your answer"
        rows={2}
        placeholder="Your answer, or JSON"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey) event.currentTarget.form?.requestSubmit()
        }}
      />
      <div className="cw-dialog-actions">
        <Button type="submit" look="primary" size="small" disabled={props.isBusy || text.trim() === ''}>
          Answer
        </Button>
      </div>
    </form>
  )
}

/** JSON objects, arrays, numbers and booleans are values; everything else is words. */
function readAnswer(text: string): Json {
  if (!/^\s*([[{]|true$|false$|-?\d+(\.\d+)?$)/.test(text.trim())) return text
  const value = parseJson(text)
  return value === undefined ? text : value
}
