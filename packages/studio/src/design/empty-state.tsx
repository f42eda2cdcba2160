import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Nothing here yet: what would be here, and how it gets here. */
export function EmptyState(props: {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}): ReactNode {
  return (
    <div className="cw-empty">
      <props.icon size={20} strokeWidth={1.6} aria-hidden />
      <h3>{props.title}</h3>
      {props.children !== undefined && <p>{props.children}</p>}
      {props.action}
    </div>
  )
}
