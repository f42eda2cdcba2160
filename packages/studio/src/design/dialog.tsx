import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

/** A question in front of the page. Esc and the backdrop close it. */
export function Dialog(props: {
  readonly isOpen: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  readonly onClose: () => void
}): ReactNode {
  return (
    <Base.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="sk-backdrop" />
        <Base.Popup className="sk-dialog">
          <Base.Title>{props.title}</Base.Title>
          {props.description !== undefined && <Base.Description>{props.description}</Base.Description>}
          {props.children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
