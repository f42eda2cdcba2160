import { memo, useMemo, type ComponentProps, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { CodeBlock } from './code-block.tsx'
import { splitBlocks } from './split-blocks.ts'

/** What a model wrote. HTML in it is text, links open elsewhere, remote images become links: nothing runs or loads. */
export const Markdown = memo(function Markdown(props: {
  readonly text: string
  readonly isStreaming?: boolean
}): ReactNode {
  const { text, isStreaming = false } = props
  const blocks = useMemo(() => splitBlocks(text), [text])
  return (
    <div className="cw-markdown">
      {blocks.map((block, index) => (
        <Block key={index} text={isStreaming && index === blocks.length - 1 ? remend(block) : block} />
      ))}
    </div>
  )
})

const Block = memo(function Block({ text }: { readonly text: string }): ReactNode {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  )
})

const PLUGINS = [remarkGfm]

const COMPONENTS: Components = {
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const language = /language-(\S+)/.exec(className ?? '')?.[1]
    const code = textOf(children)
    return language !== undefined || code.includes('\n') ? (
      <CodeBlock code={code.replace(/\n$/, '')} language={language ?? 'text'} />
    ) : (
      <code>{children}</code>
    )
  },
  a: ({ href, children }: ComponentProps<'a'>) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }: ComponentProps<'img'>) =>
    typeof src === 'string' && src !== '' ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  table: ({ children }) => (
    <div className="cw-table cw-focusable" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string') return children
  if (Array.isArray(children)) return children.map(textOf).join('')
  return ''
}
