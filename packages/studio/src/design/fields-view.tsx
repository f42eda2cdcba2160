import { isRecord, type Json } from '@clewline/core'
import { memo, type ReactNode } from 'react'
import { JsonView } from './json-view.tsx'

// What is longer stands below its name instead of beside it.
const SHORT = 72

/** Named values as a person reads them: text as text, with its lines, and the rest as JSON. */
export const FieldsView = memo(function FieldsView(props: {
  readonly value: Json
  readonly label: string
}): ReactNode {
  const { value, label } = props
  if (!isRecord(value)) return <JsonView value={value} label={label} />
  const fields = Object.entries(value)
  if (fields.length === 0) return <p className="cw-hint">None</p>
  return (
    <dl className="cw-fields cw-focusable" aria-label={label} tabIndex={0}>
      {fields.map(([name, field]) => (
        <div key={name} data-long={isLong(field) || undefined}>
          <dt>{name}</dt>
          <dd>{isPlain(field) ? String(field) : <JsonView value={field} label={name} />}</dd>
        </div>
      ))}
    </dl>
  )
})

function isPlain(value: Json): value is string | number | boolean {
  return typeof value !== 'object' && !isLong(value)
}

function isLong(value: Json): boolean {
  if (typeof value === 'string') return value.length > SHORT || value.includes('\n')
  return typeof value === 'object' && value !== null
}
