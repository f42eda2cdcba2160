import type { File } from '@clewline/core/view'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { Code } from '../conversation/code-block.tsx'
import { Markdown } from '../conversation/markdown.tsx'
import { Button } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Segments } from '../design/segments.tsx'
import { usePage } from '../store/page-context.ts'
import { FileDiff } from './file-diff.tsx'
import { FileHistory } from './file-history.tsx'
import { languageOfFile } from './language-of-file.ts'

const FileEditor = lazy(() => import('./file-editor.tsx'))

type Tab = 'view' | 'source' | 'diff' | 'history'

// Beyond this the page shows a part and offers the whole as a download.
const MAX_SHOWN = 200_000

export function FileView(props: {
  readonly file: File
  /** A person changed it since the agent last did. */
  readonly isEdited: boolean
}): ReactNode {
  const { file, isEdited } = props
  const { actions } = usePage()
  const isMarkdown = languageOfFile(file.name) === 'markdown'
  const [tab, setTab] = useState<Tab>(isMarkdown ? 'view' : 'source')
  const [isEditing, setEditing] = useState(false)
  const content = file.content ?? ''
  const tabs = [
    ...(isMarkdown ? [{ value: 'view', text: 'Read' } as const] : []),
    { value: 'source', text: 'Source' } as const,
    { value: 'diff', text: 'Diff' } as const,
    { value: 'history', text: `History ${file.history.length}` } as const,
  ]
  if (isEditing && actions !== undefined) {
    return (
      <div className="cw-file-view">
        <Suspense fallback={<p className="cw-hint cw-pad">Loading the editor…</p>}>
          <FileEditor
            name={file.name}
            content={content}
            onCancel={() => setEditing(false)}
            onSave={async (text) => {
              await actions.writeFile(file.name, text)
              setEditing(false)
            }}
          />
        </Suspense>
      </div>
    )
  }
  return (
    <div className="cw-file-view">
      <header>
        <strong>{file.name}</strong>
        <span className="cw-grow" />
        <Segments label="How to show the file" options={tabs} value={tab} onChange={setTab} />
        <CopyButton text={content} label="Copy file" />
        {actions !== undefined && file.content !== null && (
          <Button size="small" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
      </header>
      {isEdited && (
        <p className="cw-hint cw-pad" role="status">
          Edited by you. The agent finds it so in its next step.
        </p>
      )}
      <div className="cw-file-body cw-focusable" tabIndex={0} role="region" aria-label={file.name}>
        {tab === 'view' && <Markdown text={content.slice(0, MAX_SHOWN)} />}
        {tab === 'source' && (
          <pre className="cw-source">
            <Code code={content.slice(0, MAX_SHOWN)} language={languageOfFile(file.name)} />
          </pre>
        )}
        {tab !== 'history' && tab !== 'diff' && content.length > MAX_SHOWN && (
          <p className="cw-hint">
            The first {MAX_SHOWN.toLocaleString('en-US')} characters are shown. Download the file for all of
            it.
          </p>
        )}
        {tab === 'diff' && <FileDiff file={file} />}
        {tab === 'history' && <FileHistory file={file} />}
      </div>
    </div>
  )
}
