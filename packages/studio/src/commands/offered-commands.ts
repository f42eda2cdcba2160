import { useEffect, useRef } from 'react'
import type { Command } from './command.ts'

const offers = new Set<() => readonly Command[]>()

/** What can be done now: what each part of the page that is on the screen offers. */
export function offeredCommands(): readonly Command[] {
  return [...offers].flatMap((offer) => offer())
}

/** Offers commands for as long as the component is on the screen. They are asked for when somebody looks for one. */
export function useCommands(list: () => readonly Command[]): void {
  const latest = useRef(list)
  useEffect(() => {
    latest.current = list
  })
  useEffect(() => {
    const offer = (): readonly Command[] => latest.current()
    offers.add(offer)
    return () => void offers.delete(offer)
  }, [])
}
