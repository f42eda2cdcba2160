import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Markdown } from './markdown.tsx'

/** Collapsed: what a model thinks is for who asks. */
export function Reasoning(props: { readonly text: string; readonly isOpenEnded: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="cw-reasoning">
      <button
        type="button"
        className="cw-disclosure cw-focusable"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={13} aria-hidden />
        {props.isOpenEnded ? 'Thinking…' : 'Thought'}
      </button>
      {isOpen && <Markdown text={props.text} isStreaming={props.isOpenEnded} />}
    </div>
  )
}
