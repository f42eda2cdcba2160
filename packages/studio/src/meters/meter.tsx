import type { ReactNode } from 'react'
import { formatShort } from '../design/format.ts'

/** A bar against a limit; it turns amber at four fifths and red beyond. */
export function Meter(props: {
  readonly label: string
  readonly value: number
  readonly limit: number
  readonly unit: string
}): ReactNode {
  const part = Math.min(1, props.value / Math.max(props.limit, 1))
  const tone = part >= 1 ? 'error' : part >= 0.8 ? 'warn' : undefined
  return (
    <div className="cw-meter-row">
      <span>{props.label}</span>
      <span className="cw-num">
        {formatShort(props.value)} of {formatShort(props.limit)} {props.unit}
      </span>
      <div
        className="cw-meter"
        data-tone={tone}
        role="meter"
        aria-label={props.label}
        aria-valuenow={props.value}
        aria-valuemin={0}
        aria-valuemax={props.limit}
      >
        <i style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  )
}
