import { CSPProvider } from '@base-ui/react/csp-provider'
import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
import type { MenuProps } from './menu.tsx'

/** The menu itself. It is loaded when it is first asked for, and then is open. */
export default function MenuPopup(props: MenuProps): ReactNode {
  return (
    <CSPProvider disableStyleElements>
      <Base.Root modal={false} defaultOpen>
        <Base.Trigger className="cw-icon-button" aria-label={props.label} title={props.label}>
          {props.trigger}
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} align="end" className="cw-menu-layer">
            <Base.Popup className="cw-menu">
              {props.actions.map((action, index) =>
                action === null ? (
                  <Base.Separator key={index} className="cw-menu-line" />
                ) : (
                  <Base.Item
                    key={action.label}
                    className="cw-menu-item"
                    data-look={action.isDanger ? 'danger' : undefined}
                    disabled={action.isDisabled ?? false}
                    onClick={action.onSelect}
                  >
                    <action.icon size={14} aria-hidden />
                    {action.label}
                  </Base.Item>
                ),
              )}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  )
}
