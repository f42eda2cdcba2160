import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { markdown } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { explain } from '../connection/explain.ts'
import { Button } from '../design/button.tsx'
import { languageOfFile } from './language-of-file.ts'

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', color: 'var(--cw-text)', backgroundColor: 'var(--cw-bg)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--cw-mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--cw-bg)', color: 'var(--cw-text-3)', border: 'none' },
  '.cm-content': { caretColor: 'var(--cw-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--cw-text)' },
})

const COLOURS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--cw-accent)' },
  { tag: [tags.monospace, tags.string], color: 'var(--cw-hue-4)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.comment], color: 'var(--cw-text-3)' },
])

/** An editor, loaded on first use. Ctrl+S saves as well. */
export default function FileEditor(props: {
  readonly name: string
  readonly content: string
  readonly onSave: (text: string) => Promise<void>
  readonly onCancel: () => void
}): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const start = useRef({ name: props.name, content: props.content })

  useEffect(() => {
    if (host.current === null) return
    // In a shadow root CodeMirror uses constructed style sheets, which a strict CSP allows; elsewhere a <style> element.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const { name, content } = start.current
    const view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: content,
        extensions: [
          lineNumbers(),
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': `Contents of ${name}` }),
          syntaxHighlighting(COLOURS),
          LOOK,
          ...(languageOfFile(name) === 'markdown' ? [markdown()] : []),
        ],
      }),
    })
    editor.current = view
    view.focus()
    return () => view.destroy()
  }, [])

  async function save(): Promise<void> {
    setBusy(true)
    try {
      await props.onSave(editor.current?.state.doc.toString() ?? '')
    } catch (error) {
      const { message, hint } = explain(error)
      setProblem(`${message} ${hint}`)
      setBusy(false)
    }
  }
  return (
    <>
      <header>
        <strong>{props.name}</strong>
        <span className="cw-grow" />
        <Button size="small" look="quiet" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button size="small" look="primary" disabled={isBusy} onClick={() => void save()}>
          Hand to the agent
        </Button>
      </header>
      {problem !== '' && (
        <p className="cw-problem cw-pad" role="alert">
          {problem}
        </p>
      )}
      <div
        className="cw-editor"
        ref={host}
        onKeyDown={(event) => {
          if (event.key === 's' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            void save()
          }
        }}
      />
    </>
  )
}
