import { CSPProvider } from '@base-ui/react/csp-provider'
import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import type { DialogProps } from './dialog.tsx'

export default function DialogPopup(props: DialogProps): ReactNode {
  return (
    <CSPProvider disableStyleElements>
      <Base.Root open onOpenChange={(isOpen) => !isOpen && props.onClose()}>
        <Base.Portal>
          <Base.Backdrop className="cw-backdrop" />
          <Base.Popup className="cw-dialog">
            <Base.Title>{props.title}</Base.Title>
            {props.description !== undefined && <Base.Description>{props.description}</Base.Description>}
            {props.children}
          </Base.Popup>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  )
}
