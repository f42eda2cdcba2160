import type { ReactNode } from 'react'
import type { DiffLine } from './diff-lines.ts'

/** A unified diff, with the words that changed within a line. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }): ReactNode {
  return (
    <div className="cw-diff-lines" role="table" aria-label="Difference">
      {lines.map((line, index) => (
        <div key={index} role="row" data-kind={line.kind}>
          <span role="cell" className="cw-num">
            {line.before ?? ''}
          </span>
          <span role="cell" className="cw-num">
            {line.after ?? ''}
          </span>
          <span role="cell">
            {line.pieces?.map(({ text, isChanged }, at) =>
              isChanged ? <mark key={at}>{text}</mark> : text,
            ) ?? line.text}
          </span>
        </div>
      ))}
    </div>
  )
}
