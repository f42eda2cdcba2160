import { ChevronFirst, Pause, Play, StepBack, StepForward } from 'lucide-react'
import { memo, useMemo, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { useCommands } from '../commands/offered-commands.ts'
import { formatClock, formatCount } from '../design/format.ts'
import { IconButton } from '../design/icon-button.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import { createActivity, type Activity } from './activity.ts'
import { stepTo, type Speed } from './player.ts'
import { usePlayer } from './use-player.ts'

const SPEEDS: readonly Speed[] = [0.5, 1, 2, 4, 8, 'max']
const BUCKETS = 160

/** The thread as a recording: scrub, play, step; also while it runs. */
export function ReplayBar({ store }: { readonly store: ThreadStore }): ReactNode {
  const { timeline, length, cursor } = useStore(store)
  const player = usePlayer(store)
  const activityOf = useMemo(() => createActivity(timeline), [timeline])
  // Redrawn when the log has grown by a hundredth, not at each token.
  const drawn = length < BUCKETS ? length : Math.floor(Math.log(length) * 100)
  const activity = useMemo(() => activityOf(Math.max(1, Math.min(BUCKETS, drawn))), [activityOf, drawn])
  const shown = cursor ?? length
  const start = timeline.entry(0)?.envelope.ts ?? 0
  const now = timeline.entry(shown - 1)?.envelope.ts ?? start
  const end = timeline.entry(length - 1)?.envelope.ts ?? start
  const isRunning = [...timeline.latest().runs.values()].some(({ status }) => status === 'running')

  function seek(n: number | null): void {
    player.pause()
    store.seek(n)
  }
  const stepBack = (): void => seek(stepTo(timeline, shown, -1))
  const stepOn = (): void => seek(stepTo(timeline, shown, 1))
  useCommands(() => {
    if (length === 0) return []
    const { isPlaying, pause, play } = player
    return [
      {
        id: 'play',
        title: isPlaying ? 'Pause' : 'Play',
        group: 'Replay',
        key: 'p',
        run: isPlaying ? pause : play,
      },
      { id: 'back', title: 'Step back', group: 'Replay', key: ',', run: stepBack },
      { id: 'on', title: 'Step forward', group: 'Replay', key: '.', run: stepOn },
      { id: 'newest', title: 'To the newest moment', group: 'Replay', key: 'e', run: () => seek(null) },
    ]
  })
  if (length === 0) return null

  return (
    <section className="cw-replay" aria-label="Replay" data-replaying={cursor !== null || undefined}>
      <div className="cw-replay-buttons">
        <IconButton label="To the start" onClick={() => seek(0)}>
          <ChevronFirst size={16} />
        </IconButton>
        <IconButton label="Step back" onClick={stepBack}>
          <StepBack size={15} />
        </IconButton>
        {player.isPlaying ? (
          <IconButton label="Pause" className="cw-play" onClick={player.pause}>
            <Pause size={15} fill="currentColor" />
          </IconButton>
        ) : (
          <IconButton label="Play" className="cw-play" onClick={player.play}>
            <Play size={15} fill="currentColor" />
          </IconButton>
        )}
        <IconButton label="Step forward" onClick={stepOn}>
          <StepForward size={15} />
        </IconButton>
      </div>
      <div className="cw-track">
        <Drawing activity={activity} length={length} />
        <div className="cw-track-rest" style={{ left: `${(shown / length) * 100}%` }} />
        <input
          type="range"
          className="cw-focusable"
          aria-label="Position in the recording"
          aria-valuetext={`${shown} of ${length} envelopes, ${formatClock(now - start)}`}
          min={0}
          max={length}
          value={shown}
          onChange={(event) => seek(Number(event.target.value))}
        />
      </div>
      <div className="cw-replay-where cw-num">
        <b>{formatClock(now - start)}</b> / {formatClock(end - start)}
        <span>
          {formatCount(shown)} / {formatCount(length)}
        </span>
      </div>
      <select
        className="cw-select cw-focusable"
        aria-label="Speed"
        value={String(player.speed)}
        onChange={(event) =>
          player.setSpeed(SPEEDS.find((speed) => String(speed) === event.target.value) ?? 1)
        }
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed === 'max' ? 'Max' : `${speed}×`}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="cw-live cw-focusable"
        aria-pressed={cursor === null}
        onClick={() => seek(null)}
      >
        {isRunning || cursor === null ? (isRunning ? 'Live' : 'End') : 'Newest'}
      </button>
    </section>
  )
}

const Drawing = memo(function Drawing({
  activity,
  length,
}: {
  readonly activity: Activity
  readonly length: number
}): ReactNode {
  const { levels, marks } = activity
  const path = levels.map((level, index) => `M${index + 0.5} 20v-${(2 + level * 16).toFixed(1)}`).join('')
  return (
    <>
      <svg
        className="cw-activity"
        data-few={levels.length < BUCKETS || undefined}
        viewBox={`0 0 ${levels.length} 20`}
        preserveAspectRatio="none"
        aria-hidden
      >
        <path d={path} />
      </svg>
      {marks.map(({ n, kind }) => (
        <i key={n} className="cw-mark" data-kind={kind} style={{ left: `${(n / length) * 100}%` }} />
      ))}
    </>
  )
})
