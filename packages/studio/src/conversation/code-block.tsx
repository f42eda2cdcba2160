import { memo, useEffect, useState, type ReactNode } from 'react'
import { CopyButton } from '../design/copy-button.tsx'

interface Piece {
  readonly content: string
  readonly color?: string
}

// A grammar takes seconds over more than this.
const MAX_HIGHLIGHTED = 60_000

/** Code with its language and a copy button; colours arrive once the text has stood still for a moment. */
export const CodeBlock = memo(function CodeBlock(props: {
  readonly code: string
  readonly language: string
}): ReactNode {
  const { code, language } = props
  return (
    <figure className="cw-code">
      <figcaption>
        <span>{language === 'text' ? '' : language}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre className="cw-focusable" tabIndex={0}>
        <Code code={code} language={language} />
      </pre>
    </figure>
  )
})

export function Code({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  const [lines, setLines] = useState<{
    readonly of: string
    readonly tokens: readonly (readonly Piece[])[]
  } | null>(null)
  useEffect(() => {
    if (code.length > MAX_HIGHLIGHTED || language === 'text') return
    let isCurrent = true
    const timer = setTimeout(() => {
      import('./highlight.ts')
        .then(({ highlight }) => highlight(code, language))
        .then((tokens) => {
          if (isCurrent && tokens !== null) setLines({ of: code, tokens })
        })
        .catch(() => undefined)
    }, 120)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [code, language])
  // While text streams in, the coloured part stays and what is new follows plain: no flash between frames.
  if (lines === null || !code.startsWith(lines.of)) return <code>{code}</code>
  return (
    <code>
      {lines.tokens.map((line, index) => (
        <span key={index}>
          {line.map((token, at) => (
            <span key={at} style={{ color: token.color }}>
              {token.content}
            </span>
          ))}
          {index < lines.tokens.length - 1 && '\n'}
        </span>
      ))}
      {code.slice(lines.of.length)}
    </code>
  )
}
