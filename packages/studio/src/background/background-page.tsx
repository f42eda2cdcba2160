import { CalendarClock } from 'lucide-react'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { PageHeader } from '../design/page-header.tsx'
import { client } from '../connection/client.ts'
import { explain } from '../connection/explain.ts'
import type { Cron } from '@clewline/client'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { useNow } from '../design/use-now.ts'
import type { Directory } from '../threads/directory.ts'
import { newestFirst } from '../threads/newest-first.ts'
import { CronCard, DelayedCard } from './background-card.tsx'
import { delayedRuns, type DelayedRun } from './delayed-runs.ts'
import { NewCron } from './new-cron.tsx'

// A run that starts and ends changes several things: they are asked about once.
const SETTLE_MS = 50

/** What runs by itself: schedules, and runs that wait for their time. */
export default function BackgroundPage({
  directory,
  onMenu,
}: {
  readonly directory: Directory
  readonly onMenu: () => void
}): ReactNode {
  const { known, agents } = useStore(directory)
  const [crons, setCrons] = useState<readonly Cron[] | null>(null)
  const [delayed, setDelayed] = useState<readonly DelayedRun[]>([])
  const [problem, setProblem] = useState('')
  const [isNew, setNew] = useState(false)
  const now = useNow(5000)

  const refresh = useCallback(async () => {
    try {
      const [schedules, waiting] = await Promise.all([client.crons.list(), delayedRuns(client)])
      setCrons(schedules)
      setDelayed(waiting)
      setProblem('')
    } catch (error) {
      setProblem(explain(error).message)
    }
  }, [])
  useEffect(() => {
    let timer = setTimeout(() => void refresh())
    const stop = directory.subscribe((state, before) => {
      const isBack = state.status !== before.status && state.status.type === 'live'
      if (state.changes === before.changes && !isBack) return
      clearTimeout(timer)
      timer = setTimeout(() => void refresh(), SETTLE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [directory, refresh])

  async function act(action: Promise<unknown>): Promise<void> {
    try {
      await action
      await refresh()
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <>
      <PageHeader title="Schedules" onMenu={onMenu}>
        <Button size="small" look="primary" disabled={agents.length === 0} onClick={() => setNew(true)}>
          New schedule
        </Button>
      </PageHeader>
      <div className="cw-background">
        {problem !== '' && (
          <p className="cw-problem" role="alert">
            {problem}
          </p>
        )}
        {crons?.length === 0 && delayed.length === 0 && (
          <EmptyState icon={CalendarClock} title="Nothing is scheduled">
            A schedule sends a message to an agent again and again. A thread that it writes to updates by
            itself, here and on every device. The clock beside a message box sends that message later.
          </EmptyState>
        )}
        {crons !== null && crons.length > 0 && (
          <section aria-label="Schedules">
            <h2>Schedules</h2>
            <ul className="cw-cards">
              {crons.map((cron) => (
                <CronCard
                  key={cron.cron_id}
                  cron={cron}
                  now={now}
                  thread={known.get(cron.thread_id ?? '')}
                  onRemove={() => void act(client.crons.delete(cron.cron_id))}
                />
              ))}
            </ul>
          </section>
        )}
        {delayed.length > 0 && (
          <section aria-label="Delayed runs">
            <h2>Delayed runs</h2>
            <ul className="cw-cards">
              {delayed.map((one) => (
                <DelayedCard
                  key={one.run.run_id}
                  delayed={one}
                  now={now}
                  onRemove={() => void act(client.runs.cancel(one.run.thread_id, one.run.run_id))}
                />
              ))}
            </ul>
          </section>
        )}
      </div>
      {isNew && (
        <NewCron
          agents={agents}
          threads={newestFirst(known.values())}
          onClose={() => setNew(false)}
          onCreate={async (cron) => {
            await client.crons.create(cron)
            await refresh()
          }}
        />
      )}
    </>
  )
}
