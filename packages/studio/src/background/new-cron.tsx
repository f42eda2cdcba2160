import { useState, type ReactNode } from 'react'
import type { Agent, CreateCron, Thread } from '@clewline/client'
import { FormDialog } from '../design/form-dialog.tsx'
import { threadTitle } from '../threads/thread-title.ts'
import { describeSchedule } from './describe-schedule.ts'

export function NewCron(props: {
  readonly agents: readonly Agent[]
  readonly threads: readonly Thread[]
  readonly onClose: () => void
  readonly onCreate: (cron: CreateCron) => Promise<void>
}): ReactNode {
  const [schedule, setSchedule] = useState('*/30 * * * *')
  const [agent, setAgent] = useState(props.agents[0]?.name ?? '')
  const [thread, setThread] = useState('')
  const [text, setText] = useState('')

  async function create(): Promise<void> {
    await props.onCreate({
      schedule: schedule.trim(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      agent,
      input: { messages: [{ role: 'user', content: text.trim() }] },
      ...(thread !== '' && { thread }),
    })
  }
  return (
    <FormDialog
      title="New schedule"
      submit="Create"
      isReady={text.trim() !== '' && schedule.trim() !== ''}
      onSubmit={create}
      onClose={props.onClose}
    >
      <label className="cw-field">
        Cron schedule
        <input
          className="cw-input cw-mono"
          value={schedule}
          onChange={(event) => setSchedule(event.target.value)}
        />
        <span className="cw-hint">{describeSchedule(schedule)}</span>
      </label>
      <label className="cw-field">
        Agent
        <select className="cw-input" value={agent} onChange={(event) => setAgent(event.target.value)}>
          {props.agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="cw-field">
        Thread
        <select className="cw-input" value={thread} onChange={(event) => setThread(event.target.value)}>
          <option value="">A new thread each time</option>
          {props.threads.map((one) => (
            <option key={one.thread_id} value={one.thread_id}>
              {threadTitle(one)}
            </option>
          ))}
        </select>
      </label>
      <label className="cw-field">
        Message
        <textarea
          className="cw-input"
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
    </FormDialog>
  )
}
