import type { ReactNode } from 'react'
import { statusText } from './status-text.ts'
import { toneOf } from './tone.ts'

/** A dot whose colour is also said in words. */
export function StatusDot({ status }: { readonly status: string }): ReactNode {
  return (
    <span className="cw-status" data-tone={toneOf(status)} title={statusText(status)}>
      <span className="cw-hidden">{statusText(status)}</span>
    </span>
  )
}
