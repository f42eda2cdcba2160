import type { LucideIcon } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'

export interface MenuAction {
  readonly label: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
}

export interface MenuProps {
  readonly label: string
  readonly trigger: ReactNode
  /** `null` draws a line. */
  readonly actions: readonly (MenuAction | null)[]
}

const MenuPopup = lazy(() => import('./menu-popup.tsx'))

/** A button with a menu. A plain button until the first use: a list of threads has fifty of them. */
export function Menu(props: MenuProps): ReactNode {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <button
      type="button"
      className="cw-icon-button"
      aria-label={props.label}
      title={props.label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void import('./menu-popup.tsx')}
      onFocus={() => void import('./menu-popup.tsx')}
      onClick={() => setWanted(true)}
    >
      {props.trigger}
    </button>
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <MenuPopup {...props} />
    </Suspense>
  )
}
