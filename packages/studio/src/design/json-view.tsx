import { memo, useMemo, type ReactNode } from 'react'

// Beyond this a browser spends more on layout than a reader gains.
const MAX_CHARACTERS = 20_000

/** A JSON value, coloured. Text alone is shown as text. */
export const JsonView = memo(function JsonView({
  value,
  label,
}: {
  readonly value: unknown
  readonly label?: string
}): ReactNode {
  const parts = useMemo(
    () =>
      typeof value === 'string' ? [clip(value)] : colour(clip(JSON.stringify(value, null, 2) ?? 'undefined')),
    [value],
  )
  return (
    <pre className="cw-json cw-focusable" tabIndex={0} aria-label={label}>
      {parts}
    </pre>
  )
})

function clip(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  return `${text.slice(0, MAX_CHARACTERS)}\n… ${text.length - MAX_CHARACTERS} more characters`
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b/g

function colour(text: string): readonly ReactNode[] {
  const parts: ReactNode[] = []
  let from = 0
  for (const match of text.matchAll(TOKENS)) {
    const [whole, string, colon, literal] = match
    parts.push(text.slice(from, match.index))
    if (literal !== undefined) parts.push(<em key={match.index}>{literal}</em>)
    else if (colon !== undefined) parts.push(<b key={match.index}>{string}</b>, colon)
    else parts.push(<i key={match.index}>{string}</i>)
    from = match.index + whole.length
  }
  parts.push(text.slice(from))
  return parts
}
