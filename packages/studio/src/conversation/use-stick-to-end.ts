import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react'

const NEAR = 48

/** Keeps a scroller at its end while content grows, until the reader scrolls up; `toEnd` goes back. */
export function useStickToEnd(changed: unknown): {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  readonly onScroll: () => void
  readonly toEnd: () => void
} {
  const ref = useRef<HTMLDivElement>(null)
  const isSticking = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)

  const shown = useRef(changed)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null || !isSticking.current || (shown.current === changed && element.scrollTop > 0))
      return
    shown.current = changed
    element.scrollTop = element.scrollHeight
  }, [changed])

  const onScroll = useCallback(() => {
    const element = ref.current
    if (element === null) return
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    isSticking.current = isNear
    setAtEnd(isNear)
  }, [])
  const toEnd = useCallback(() => {
    isSticking.current = true
    const element = ref.current
    if (element !== null) element.scrollTop = element.scrollHeight
  }, [])
  return { ref, isAtEnd, onScroll, toEnd }
}
