import { ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { Connection } from '../connection/connection.ts'
import { settings } from '../settings.ts'
import { Badge } from '../design/badge.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { formatCount } from '../design/format.ts'
import { Segments } from '../design/segments.tsx'
import { statusText } from '../design/status-text.ts'
import { toneOf } from '../design/tone.ts'
import { usePage } from '../store/page-context.ts'
import type { ThreadState } from '../store/thread-store.ts'

/** What `seq` proves about the stream, what the watchdog said, and how much of it to show. */
export function HealthPanel({ state }: { readonly state: ThreadState }): ReactNode {
  const { select } = usePage()
  const { intake, view, connection, length } = state
  const profile = useStore(settings, (all) => all.profile)
  const isClean = intake.missing === 0 && intake.problemCount === 0 && view.warnings.length === 0
  return (
    <div className="cw-health cw-focusable" tabIndex={0} role="region" aria-label="Health">
      <dl className="cw-facts cw-health-facts">
        <Fact name="Connection">
          <Badge tone={toneOf(connection.type)}>{connectionText(connection)}</Badge>
        </Fact>
        <Fact name="Envelopes">{formatCount(length)}</Fact>
        <Fact name="Position">{formatCount(state.timeline.latest().position)}</Fact>
        <Fact name="Missing">
          <span data-testid="missing">{formatCount(intake.missing)}</span>
        </Fact>
        <Fact name="Duplicates dropped">
          <span data-testid="duplicates">{formatCount(intake.duplicates)}</span>
        </Fact>
        <Fact name="Not envelopes">{formatCount(intake.problemCount)}</Fact>
      </dl>
      {connection.type !== 'file' && (
        <div className="cw-health-row">
          <div>
            <b>Profile</b>
            <p className="cw-hint">
              User joins tokens into 50 ms pieces. Debug brings every envelope and shows the raw ones under
              each item.
            </p>
          </div>
          <Segments
            label="Profile"
            options={[
              { value: 'user', text: 'User' },
              { value: 'debug', text: 'Debug' },
            ]}
            value={profile}
            onChange={(chosen) => settings.setState({ profile: chosen })}
          />
        </div>
      )}
      {isClean && (
        <EmptyState icon={ShieldCheck} title="Nothing missing, nothing twice">
          Every envelope carries a number within its call. The numbers seen so far have no hole.
        </EmptyState>
      )}
      {intake.gaps.length > 0 && (
        <section>
          <h4>Gaps</h4>
          <ul className="cw-list">
            {intake.gaps.map((gap) => (
              <li key={`${gap.call_id}:${gap.from}`}>
                <button type="button" className="cw-link cw-focusable" onClick={() => select(gap.call_id)}>
                  {gap.call_id.slice(0, 8)}
                </button>{' '}
                lacks seq {gap.from === gap.to ? gap.from : `${gap.from} to ${gap.to}`} before position{' '}
                {gap.position}
              </li>
            ))}
          </ul>
        </section>
      )}
      {view.warnings.length > 0 && (
        <section>
          <h4>Warnings</h4>
          <ul className="cw-list">
            {view.warnings.map((warning, index) => (
              <li key={index}>
                <Badge tone="warn">{warning.code}</Badge>{' '}
                <button
                  type="button"
                  className="cw-link cw-focusable"
                  onClick={() => select(warning.call_id)}
                >
                  {warning.agent}
                </button>{' '}
                {warning.message}
              </li>
            ))}
          </ul>
        </section>
      )}
      {intake.problems.length > 0 && (
        <section>
          <h4>
            Lines that are no envelopes
            {intake.problemCount > intake.problems.length && ` (the newest ${intake.problems.length})`}
          </h4>
          <ul className="cw-list">
            {intake.problems.map((problem, index) => (
              <li key={index} className="cw-mono">
                {problem}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="cw-num">{children}</dd>
    </div>
  )
}

function connectionText(connection: Connection): string {
  if (connection.type === 'file') return connection.name
  if (connection.type === 'retrying') return `Reconnecting, try ${connection.attempt}`
  return connection.type === 'refused' ? connection.why : statusText(connection.type)
}
