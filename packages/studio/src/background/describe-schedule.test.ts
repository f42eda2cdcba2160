import { expect, it } from 'vitest'
import { describeSchedule } from './describe-schedule.ts'

it.each([
  ['* * * * *', 'Every minute'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['15 * * * *', 'Every hour at 15 past'],
  ['0 9 * * *', 'Every day at 09:00'],
  ['30 8 * * 1-5', 'Monday to Friday at 08:30'],
  ['0 9 * * 1', 'Every Monday at 09:00'],
  ['0 9 1 * *', 'Minute 0, hour 9, day 1, month *, weekday *'],
  ['soon', 'Five fields: minute, hour, day of month, month, day of week'],
])('%s', (schedule, words) => {
  expect(describeSchedule(schedule)).toBe(words)
})
