import { Menu as MenuIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './icon-button.tsx'

export function PageHeader(props: {
  readonly title: string
  readonly onMenu: () => void
  readonly children?: ReactNode
}): ReactNode {
  return (
    <header className="cw-bar-top">
      <IconButton label="Open the menu" className="cw-phone" onClick={props.onMenu}>
        <MenuIcon size={17} />
      </IconButton>
      <h1>{props.title}</h1>
      <span className="cw-grow" />
      {props.children}
    </header>
  )
}
