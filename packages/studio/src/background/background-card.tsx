import type { Json } from '@clewline/core'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Cron, Thread } from '@clewline/client'
import { summarise } from '../conversation/summarise.ts'
import { IconButton } from '../design/icon-button.tsx'
import { formatMoment, formatWhen } from '../design/time.ts'
import { fieldsOf } from '../fields-of.ts'
import { formatRoute } from '../routes/route.ts'
import { threadTitle } from '../threads/thread-title.ts'
import type { DelayedRun } from './delayed-runs.ts'
import { describeSchedule } from './describe-schedule.ts'

export function CronCard(props: {
  readonly cron: Cron
  readonly now: number
  /** The thread that it writes to, where there is one and it is known. */
  readonly thread: Thread | undefined
  readonly onRemove: () => void
}): ReactNode {
  const { cron, now } = props
  const next = Date.parse(cron.next_at)
  return (
    <Card label={`Delete schedule ${cron.schedule}`} onRemove={props.onRemove}>
      <b>{describeSchedule(cron.schedule)}</b> <code>{cron.schedule}</code>
      <p>
        {cron.agent} · {messageOf(cron.input)}
      </p>
      <p className="cw-hint">
        Next {formatWhen(next, now)}, {formatMoment(next)}
        {cron.last_at !== null && ` · last ${formatWhen(Date.parse(cron.last_at), now)}`} · {cron.timezone}
        {cron.thread_id !== null && (
          <>
            {' · '}
            <ThreadLink
              thread={cron.thread_id}
              title={props.thread === undefined ? 'its thread' : threadTitle(props.thread)}
            />
          </>
        )}
      </p>
    </Card>
  )
}

export function DelayedCard(props: {
  readonly delayed: DelayedRun
  readonly now: number
  readonly onRemove: () => void
}): ReactNode {
  const { run, thread } = props.delayed
  const due = Date.parse(run.run_at)
  return (
    <Card label="Cancel delayed run" onRemove={props.onRemove}>
      <b>{capitalised(formatWhen(due, props.now))}</b>
      <p>
        {run.agent} · {messageOf(run.input ?? null)}
      </p>
      <p className="cw-hint">
        {formatMoment(due)} · <ThreadLink thread={thread.thread_id} title={threadTitle(thread)} />
      </p>
    </Card>
  )
}

function Card(props: {
  readonly label: string
  readonly onRemove: () => void
  readonly children: ReactNode
}): ReactNode {
  return (
    <li>
      <div>{props.children}</div>
      <IconButton label={props.label} onClick={props.onRemove}>
        <Trash2 size={15} />
      </IconButton>
    </li>
  )
}

function ThreadLink({ thread, title }: { readonly thread: string; readonly title: string }): ReactNode {
  return <a href={formatRoute({ to: 'thread', thread })}>{title}</a>
}

function messageOf(input: Json): string {
  const { messages } = fieldsOf(input)
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  return summarise(fieldsOf(last)['content'] ?? input)
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
