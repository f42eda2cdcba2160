import type { ReactNode } from 'react'
import type { Tone } from './tone.ts'

export function Badge(props: {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <span className="cw-badge" data-tone={props.tone} title={props.title}>
      {props.children}
    </span>
  )
}
