import { useEffect, useState } from 'react'
import type { ThreadStore } from '../store/thread-store.ts'
import { advance, type Speed } from './player.ts'

/** Plays the thread from where the cursor stands. At the end of a finished run it stops; of a live one it follows. */
export function usePlayer(store: ThreadStore): {
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly setSpeed: (speed: Speed) => void
  readonly play: () => void
  readonly pause: () => void
} {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)

  useEffect(() => {
    if (!isPlaying) return
    let last = performance.now()
    let rest = 0
    let frame = requestAnimationFrame(tick)
    function tick(now: number): void {
      const { timeline, cursor } = store.getState()
      if (cursor === null) {
        setPlaying(false)
        return
      }
      const moved = advance(timeline, cursor, rest + (now - last) / 1000, speed)
      last = now
      rest = moved.rest
      if (moved.n !== cursor) store.seek(moved.n)
      frame = requestAnimationFrame(tick)
    }
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed, store])

  return {
    isPlaying,
    speed,
    setSpeed,
    play() {
      const { cursor } = store.getState()
      if (cursor === null) store.seek(0)
      store.flush()
      setPlaying(true)
    },
    pause: () => setPlaying(false),
  }
}
