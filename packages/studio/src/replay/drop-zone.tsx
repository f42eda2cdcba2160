import { FileDown } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'

/** The whole page takes a dropped recording. */
export function DropZone({
  onFile,
  children,
}: {
  readonly onFile: (file: File) => void
  readonly children: ReactNode
}): ReactNode {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    function over(event: DragEvent): void {
      if (!isFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    function leave(event: DragEvent): void {
      if (event.relatedTarget === null) setOver(false)
    }
    function drop(event: DragEvent): void {
      if (!isFile(event)) return
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) onFile(file)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  })
  return (
    <>
      {children}
      {isOver && (
        <div className="cw-drop" role="status">
          <FileDown size={22} aria-hidden />
          Drop a JSONL of envelopes to open it. It stays in this browser.
        </div>
      )}
    </>
  )
}
