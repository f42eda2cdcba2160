import { Menu as Base } from '@base-ui/react/menu'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export interface MenuAction {
  readonly label: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
}

/** `null` draws a line. */
export function Menu(props: {
  readonly label: string
  readonly trigger: ReactNode
  readonly actions: readonly (MenuAction | null)[]
}): ReactNode {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className="sk-icon-button" aria-label={props.label} title={props.label}>
        {props.trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="sk-menu-layer">
          <Base.Popup className="sk-menu">
            {props.actions.map((action, index) =>
              action === null ? (
                <Base.Separator key={index} className="sk-menu-line" />
              ) : (
                <Base.Item
                  key={action.label}
                  className="sk-menu-item"
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
  )
}
