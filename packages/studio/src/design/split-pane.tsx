import { useRef, type HTMLAttributes, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'

export interface SplitPaneProps extends HTMLAttributes<HTMLDivElement> {
  readonly first: ReactNode
  readonly second: ReactNode
  readonly label: string
  /** Pixels of the second part. */
  readonly size: number
  readonly min: number
  readonly onSize: (size: number) => void
}

/** Two parts side by side with a bar to drag, also by arrow keys. */
export function SplitPane({
  first,
  second,
  label,
  size,
  min,
  onSize,
  className = '',
  ...rest
}: SplitPaneProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)

  function resize(to: number): void {
    const width = host.current?.clientWidth ?? 1200
    onSize(Math.round(Math.max(min, Math.min(to, width - 320))))
  }
  function drag(event: PointerEvent<HTMLDivElement>): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const right = host.current?.getBoundingClientRect().right ?? 0
    resize(right - event.clientX)
  }
  function press(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') resize(size + 24)
    else if (event.key === 'ArrowRight') resize(size - 24)
    else return
    event.preventDefault()
  }
  return (
    <div ref={host} className={`cw-split ${className}`} style={{ '--cw-second': `${size}px` }} {...rest}>
      <div className="cw-split-first">{first}</div>
      <div
        className="cw-split-bar cw-focusable"
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={size}
        aria-valuemin={min}
        aria-valuemax={4000}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
      />
      <div className="cw-split-second">{second}</div>
    </div>
  )
}
