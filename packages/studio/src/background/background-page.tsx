import type { Json } from '@skein/core'
import { CalendarClock, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { PageHeader } from '../app/page-header.tsx'
import { api } from '../app/api.ts'
import { explain } from '../connection/api-error.ts'
import type { Cron, Run } from '../connection/resources.ts'
import { summarise } from '../conversation/summarise.ts'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { formatWhen, toMillis } from '../design/time.ts'
import { useNow } from '../design/use-now.ts'
import { formatRoute } from '../routes/route.ts'
import type { Directory } from '../threads/directory.ts'
import { threadTitle } from '../threads/thread-title.ts'
import { describeSchedule } from './describe-schedule.ts'
import { NewCron } from './new-cron.tsx'

/** What runs by itself: schedules, and runs that wait for their time. */
export default function BackgroundPage(props: {
  readonly directory: Directory
  readonly onMenu: () => void
}): ReactNode {
  const { threads, agents, changes } = useStore(props.directory)
  const [crons, setCrons] = useState<readonly Cron[] | null>(null)
  const [delayed, setDelayed] = useState<readonly Run[]>([])
  const [problem, setProblem] = useState('')
  const [isNew, setNew] = useState(false)
  const now = useNow(5000)
  const titles = new Map(threads.map((thread) => [thread.thread_id, threadTitle(thread)]))

  const refresh = useCallback(async () => {
    try {
      setCrons(await api.crons())
      const busy = props.directory.getState().threads.slice(0, 50)
      const runs = await Promise.all(busy.map(({ thread_id }) => api.runs(thread_id).catch(() => [])))
      const soon = Date.now() + 1000
      setDelayed(
        runs
          .flat()
          .filter((run) => run.status === 'pending' && run.run_at != null && toMillis(run.run_at) > soon),
      )
      setProblem('')
    } catch (error) {
      setProblem(explain(error).message)
      setCrons([])
    }
  }, [props.directory])
  const heard = `${changes} ${threads.length}`
  useEffect(() => {
    // Asked again whenever a run or a schedule changed anywhere.
    const timer = setTimeout(() => void refresh(), heard === '' ? 0 : 50)
    return () => clearTimeout(timer)
  }, [refresh, heard])

  async function act(action: Promise<void>): Promise<void> {
    try {
      await action
      await refresh()
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <>
      <PageHeader title="Schedules" onMenu={props.onMenu}>
        <Button size="small" look="primary" disabled={agents.length === 0} onClick={() => setNew(true)}>
          New schedule
        </Button>
      </PageHeader>
      <div className="sk-background">
        {problem !== '' && (
          <p className="sk-problem" role="alert">
            {problem}
          </p>
        )}
        {crons !== null && crons.length === 0 && delayed.length === 0 && (
          <EmptyState icon={CalendarClock} title="Nothing is scheduled">
            A schedule sends a message to an agent again and again. A thread that it writes to updates by
            itself, here and on every device. The clock beside a message box sends that message later.
          </EmptyState>
        )}
        {crons !== null && crons.length > 0 && (
          <section aria-label="Schedules">
            <h2>Schedules</h2>
            <ul className="sk-cards">
              {crons.map((cron) => (
                <li key={cron.cron_id}>
                  <div>
                    <b>{describeSchedule(cron.schedule)}</b> <code>{cron.schedule}</code>
                    <p>
                      {cron.agent} · {messageOf(cron.input)}
                    </p>
                    <p className="sk-hint">
                      {cron.next_at !== null && (
                        <span title={new Date(toMillis(cron.next_at)).toLocaleString()}>
                          Next {formatWhen(cron.next_at, now)} (
                          {new Date(toMillis(cron.next_at)).toLocaleString()})
                        </span>
                      )}
                      {cron.last_at != null && ` · last ${formatWhen(cron.last_at, now)}`}
                      {cron.timezone && ` · ${cron.timezone}`}
                      {cron.thread_id !== null && (
                        <>
                          {' · '}
                          <a href={formatRoute({ to: 'thread', thread: cron.thread_id })}>
                            {titles.get(cron.thread_id) ?? 'its thread'}
                          </a>
                        </>
                      )}
                    </p>
                  </div>
                  <IconButton
                    label={`Delete schedule ${cron.schedule}`}
                    onClick={() => void act(api.removeCron(cron.cron_id))}
                  >
                    <Trash2 size={15} />
                  </IconButton>
                </li>
              ))}
            </ul>
          </section>
        )}
        {delayed.length > 0 && (
          <section aria-label="Delayed runs">
            <h2>Delayed runs</h2>
            <ul className="sk-cards">
              {delayed.map((run) => (
                <li key={run.run_id}>
                  <div>
                    <b>{formatWhen(run.run_at ?? 0, now)}</b>
                    <p>
                      {run.agent} · {messageOf(run.input ?? null)}
                    </p>
                    <p className="sk-hint">
                      <a href={formatRoute({ to: 'thread', thread: run.thread_id })}>
                        {titles.get(run.thread_id) ?? 'its thread'}
                      </a>
                    </p>
                  </div>
                  <IconButton
                    label="Cancel delayed run"
                    onClick={() => void act(api.cancel(run.thread_id, run.run_id))}
                  >
                    <Trash2 size={15} />
                  </IconButton>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      {isNew && (
        <NewCron
          agents={agents}
          threads={threads}
          onClose={() => setNew(false)}
          onCreate={async (cron) => {
            await api.createCron(cron)
            await refresh()
          }}
        />
      )}
    </>
  )
}

function messageOf(input: Json): string {
  if (typeof input === 'object' && input !== null && 'messages' in input && Array.isArray(input.messages)) {
    const last: Json = input.messages.at(-1) ?? null
    if (typeof last === 'object' && last !== null && 'content' in last) return summarise(last.content ?? null)
  }
  return summarise(input)
}
