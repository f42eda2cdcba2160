import { lazy, Suspense, type ReactNode } from 'react'

export interface DialogProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  readonly onClose: () => void
}

const DialogPopup = lazy(() => import('./dialog-popup.tsx'))

/** A question in front of the page, for as long as it is rendered. Esc and the backdrop close it. */
export function Dialog(props: DialogProps): ReactNode {
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} />
    </Suspense>
  )
}
