import type { File, View } from '@clewline/core/view'
import { Download, FileText, FolderDown } from 'lucide-react'
import { useContext, useMemo, useState, type ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { formatBytes } from '../design/format.ts'
import { IconButton } from '../design/icon-button.tsx'
import { ViewContext } from '../store/page-context.ts'
import { downloadAll, downloadText } from './download.ts'
import { FileView } from './file-view.tsx'

/** The agent's files at this moment. */
export function FilesPanel(): ReactNode {
  const { view } = useContext(ViewContext)
  const { files } = view
  const names = useMemo(() => [...files.keys()].toSorted(), [files])
  const [chosen, setChosen] = useState<string | null>(null)
  const open = chosen !== null && files.has(chosen) ? chosen : (names[0] ?? null)
  const file = open === null ? undefined : files.get(open)
  if (file === undefined) {
    return (
      <EmptyState icon={FileText} title="No files yet">
        What agents write appears here, with every version and the call that made it.
      </EmptyState>
    )
  }
  const present = [...files.values()].flatMap(({ name, content }) =>
    content === null ? [] : [{ name, content }],
  )
  return (
    <div className="cw-files">
      <div className="cw-files-list">
        <div className="cw-files-head">
          <span className="cw-hint">
            {present.length} {present.length === 1 ? 'file' : 'files'}
          </span>
          <IconButton label="Download all files" size="small" onClick={() => void downloadAll(present)}>
            <FolderDown size={14} />
          </IconButton>
        </div>
        <ul aria-label="Files">
          {names.map((name) => {
            const one = files.get(name)
            const { content, history } = one ?? { content: null, history: [] }
            return (
              <li key={name} data-selected={name === open || undefined}>
                <button
                  type="button"
                  className="cw-file cw-focusable"
                  aria-current={name === open}
                  onClick={() => setChosen(name)}
                >
                  <span data-removed={content === null || undefined}>{name}</span>
                  {one !== undefined && isEdited(view, one) && <Badge tone="accent">edited</Badge>}
                  {history.length > 1 && <Badge>{history.length}</Badge>}
                  <span className="cw-time">
                    {content === null ? 'removed' : formatBytes(content.length)}
                  </span>
                </button>
                {content !== null && (
                  <IconButton
                    label={`Download ${name}`}
                    size="small"
                    onClick={() => downloadText(name, content)}
                  >
                    <Download size={13} />
                  </IconButton>
                )}
              </li>
            )
          })}
        </ul>
      </div>
      <FileView key={file.name} file={file} isEdited={isEdited(view, file)} />
    </div>
  )
}

/** True when a person changed the file last: the log has that as a root call of its own, named `edit`. */
function isEdited(view: View, { history }: File): boolean {
  const call = view.calls.get(history.at(-1)?.call_id ?? '')
  return call?.kind === 'graph' && call.name === 'edit' && call.children.length === 0
}
