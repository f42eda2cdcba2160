const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** A cron schedule in words where it is one of the common kinds; otherwise its fields. The server is who checks it. */
export function describeSchedule(schedule: string): string {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5) return 'Five fields: minute, hour, day of month, month, day of week'
  const [minute = '', hour = '', day, month, weekday = ''] = fields
  const every = /^\*\/(\d+)$/.exec(minute)?.[1]
  const isEachDay = day === '*' && month === '*'
  if (isEachDay && weekday === '*' && hour === '*') {
    if (minute === '*') return 'Every minute'
    if (every !== undefined) return `Every ${every} minutes`
    if (isNumber(minute)) return `Every hour at ${minute} past`
  }
  if (isEachDay && isNumber(minute) && isNumber(hour)) {
    const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
    if (weekday === '*') return `Every day at ${time}`
    if (weekday === '1-5') return `Monday to Friday at ${time}`
    const name = DAYS[Number(weekday)]
    if (isNumber(weekday) && name !== undefined) return `Every ${name} at ${time}`
  }
  return `Minute ${minute}, hour ${hour}, day ${day}, month ${month}, weekday ${weekday}`
}

function isNumber(field: string): boolean {
  return /^\d+$/.test(field)
}
