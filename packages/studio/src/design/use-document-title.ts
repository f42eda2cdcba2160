import { useEffect } from 'react'

/** What the browser's tab says, for as long as the page is shown. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = title
    return () => {
      document.title = before
    }
  }, [title])
}
