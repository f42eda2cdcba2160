import { ClewlineError } from '@clewline/core'
import { Cron } from 'croner'

/** When a five-field schedule next ticks after a moment, in a time zone; null when it never does. */
export function nextTick(schedule: string, timezone: string, after: Date): Date | null {
  return parse(schedule, timezone).nextRun(after)
}

function parse(schedule: string, timezone: string): Cron {
  try {
    // croner also takes a date for a single tick, and an empty time zone for that of the machine.
    if (/^\d{4}-/.test(schedule.trim())) throw new Error('it is a date')
    if (timezone.trim() === '') throw new Error('the time zone is empty')
    return new Cron(schedule, { mode: '5-part', timezone, paused: true })
  } catch (error) {
    throw notASchedule(schedule, timezone, error)
  }
}

/** Refuses what cannot be understood and what would never tick. */
export function firstTick(schedule: string, timezone: string, after: Date): Date {
  let tick: Date | null
  try {
    tick = nextTick(schedule, timezone, after)
  } catch (error) {
    // An unknown time zone only shows when a tick is computed.
    throw error instanceof ClewlineError ? error : notASchedule(schedule, timezone, error)
  }
  if (tick === null) {
    throw new ClewlineError('bad-request', `The schedule "${schedule}" never ticks.`, {
      hint: 'Check the day and the month: 30 February does not come.',
    })
  }
  return tick
}

function notASchedule(schedule: string, timezone: string, cause: unknown): ClewlineError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ClewlineError('bad-request', `"${schedule}" in "${timezone}" is not a schedule: ${why}`, {
    hint: 'Five fields: minute hour day-of-month month day-of-week, for example "0 8 * * 1-5"; a time zone like Europe/Vienna.',
    cause,
  })
}
