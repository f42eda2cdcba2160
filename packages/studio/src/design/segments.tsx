import type { ReactNode } from 'react'

/** A few choices, one of them on. */
export function Segments<T extends string>(props: {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly text: string }[]
  /** Empty while none is on. */
  readonly value: T | ''
  readonly onChange: (value: T) => void
}): ReactNode {
  return (
    <div className="cw-segments" role="group" aria-label={props.label}>
      {props.options.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          className="cw-focusable"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
