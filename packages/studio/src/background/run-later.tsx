import { useState, type ReactNode } from 'react'
import { client } from '../connection/client.ts'
import { FormDialog } from '../design/form-dialog.tsx'
import { Segments } from '../design/segments.tsx'
import { describeSchedule } from './describe-schedule.ts'

const DELAYS = [
  { value: '60', text: '1 min' },
  { value: '600', text: '10 min' },
  { value: '3600', text: '1 hour' },
  { value: '86400', text: '1 day' },
] as const

/** A message that is sent to this thread later, once or again and again. */
export function RunLater(props: {
  readonly text: string
  readonly agent: string
  readonly thread: string
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}): ReactNode {
  const [text, setText] = useState(props.text)
  const [how, setHow] = useState<'once' | 'schedule'>('once')
  const [delay, setDelay] = useState<string>('600')
  const [schedule, setSchedule] = useState('0 9 * * *')

  async function save(): Promise<void> {
    const input = { messages: [{ role: 'user', content: text.trim() }] }
    const { agent, thread } = props
    if (how === 'once') {
      const after_seconds = Number(delay)
      if (!(after_seconds >= 0)) throw new Error('The delay is not a number of seconds.')
      await client.runs.create(thread, { agent, input, after_seconds })
      props.onDone(`Runs in ${after_seconds} seconds. It is listed under Schedules.`)
    } else {
      const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
      await client.crons.create({ agent, input, thread, schedule: schedule.trim(), timezone })
      props.onDone(`${describeSchedule(schedule)}. It is listed under Schedules.`)
    }
  }
  return (
    <FormDialog
      title="Run later"
      description="The thread updates by itself when it runs, on every device that has it open."
      submit="Schedule"
      isReady={text.trim() !== ''}
      onSubmit={save}
      onClose={props.onClose}
    >
      <label className="cw-field">
        Message
        <textarea
          className="cw-input"
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Segments
        label="When"
        options={[
          { value: 'once', text: 'Once' },
          { value: 'schedule', text: 'On a schedule' },
        ]}
        value={how}
        onChange={setHow}
      />
      {how === 'once' ? (
        <div className="cw-form-row">
          <label className="cw-field">
            Seconds from now
            <input
              className="cw-input"
              inputMode="numeric"
              value={delay}
              onChange={(event) => setDelay(event.target.value)}
            />
          </label>
          <Segments
            label="Common delays"
            options={DELAYS}
            value={DELAYS.find(({ value }) => value === delay)?.value ?? ''}
            onChange={setDelay}
          />
        </div>
      ) : (
        <label className="cw-field">
          Cron schedule
          <input
            className="cw-input cw-mono"
            value={schedule}
            onChange={(event) => setSchedule(event.target.value)}
          />
          <span className="cw-hint">{describeSchedule(schedule)}</span>
        </label>
      )}
    </FormDialog>
  )
}
