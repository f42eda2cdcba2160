import type { Usage } from '@clewline/core'
import type { View } from '@clewline/core/view'
import { Gauge } from 'lucide-react'
import { useContext, type ReactNode } from 'react'
import { EmptyState } from '../design/empty-state.tsx'
import { formatCost, formatCount, formatDuration, formatShort } from '../design/format.ts'
import { useHue, type HueOf } from '../design/hue.ts'
import { usePage, ViewContext } from '../store/page-context.ts'
import { budgetsOf } from './budget.ts'
import { contextUse } from './context-use.ts'
import { costOfCall, costWithin, plus, type Prices } from './cost.ts'
import { Meter } from './meter.tsx'
import { tokensPerSecond } from './tokens-per-second.ts'

/** Tokens, cost, context and speed: of the thread, per agent, per model and per run. */
export function MetersPanel(): ReactNode {
  const { view, timeline } = useContext(ViewContext)
  const { prices } = usePage()
  const hueOf = useHue()
  if (view.calls.size === 0) {
    return (
      <EmptyState icon={Gauge} title="Nothing used yet">
        Tokens, cost and context use of each agent and run are counted here while they happen.
      </EmptyState>
    )
  }
  const cost = costWithin(view, view.roots, prices)
  const speed = tokensPerSecond(timeline, view.count)
  const { last, window } = contextUse(view, prices)
  return (
    <div className="cw-meters cw-focusable" tabIndex={0} role="region" aria-label="Usage">
      <div className="cw-tiles">
        <Tile name="Tokens" value={formatCount(view.usage.total_tokens ?? 0)} about={usageText(view.usage)} />
        <Tile
          name="Cost"
          value={cost === null ? '–' : formatCost(cost)}
          about={cost === null ? 'no price for this model' : 'by the price table'}
        />
        <Tile name="Speed" value={formatCount(Math.round(speed))} about="tokens a second" />
        <Tile
          name="Context"
          value={last === null ? '–' : formatShort(last)}
          about={window === null ? 'in the last prompt' : `of ${formatShort(window)}`}
        />
      </div>
      {last !== null && window !== null && (
        <Meter label="Context use" value={last} limit={window} unit="tokens" />
      )}
      {budgetsOf(view).map(({ label, used, limit, unit }) => (
        <Meter key={label} label={label} value={used} limit={limit} unit={unit} />
      ))}
      <Table caption="Agents" rows={agentRows(view, prices, hueOf)} />
      <Table caption="Models" rows={modelRows(view, prices)} />
      <Table caption="Runs" rows={runRows(view, prices)} />
    </div>
  )
}

function Tile(props: { readonly name: string; readonly value: string; readonly about: string }): ReactNode {
  return (
    <div className="cw-tile">
      <span>{props.name}</span>
      <b className="cw-num">{props.value}</b>
      <span>{props.about}</span>
    </div>
  )
}

interface Row {
  readonly key: string
  readonly name: string
  readonly hue?: string
  readonly usage: Usage
  readonly cost: number | null
  readonly about: string
}

function Table({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }): ReactNode {
  if (rows.length === 0) return null
  const most = Math.max(1, ...rows.map(({ usage }) => usage.total_tokens ?? 0))
  return (
    <table className="cw-usage">
      <thead>
        <tr>
          <th scope="col">{caption}</th>
          <th scope="col">In</th>
          <th scope="col">Out</th>
          <th scope="col">Cost</th>
          <th scope="col">
            <span className="cw-hidden">More</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <span>{row.name}</span>
              <i style={{ width: `${((row.usage.total_tokens ?? 0) / most) * 100}%`, background: row.hue }} />
            </th>
            <td className="cw-num">{formatShort(row.usage.input_tokens ?? 0)}</td>
            <td className="cw-num">{formatShort(row.usage.output_tokens ?? 0)}</td>
            <td className="cw-num">{row.cost === null ? '–' : formatCost(row.cost)}</td>
            <td className="cw-dim">{row.about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function agentRows(view: View, prices: Prices, hueOf: HueOf): readonly Row[] {
  const costs = new Map<string, number | null>()
  const counts = new Map<string, number>()
  for (const call of view.calls.values()) {
    if (call.kind !== 'llm') continue
    costs.set(call.agent, plus(costs.get(call.agent) ?? null, costOfCall(call, prices)))
    counts.set(call.agent, (counts.get(call.agent) ?? 0) + 1)
  }
  return [...view.usageByAgent].map(([name, usage]) => ({
    key: name,
    name,
    hue: hueOf(name),
    usage,
    cost: costs.get(name) ?? null,
    about: callCount(counts.get(name) ?? 0),
  }))
}

function modelRows(view: View, prices: Prices): readonly Row[] {
  const rows = new Map<
    string,
    { input_tokens: number; output_tokens: number; total_tokens: number; cost: number | null; calls: number }
  >()
  for (const call of view.calls.values()) {
    if (call.kind !== 'llm') continue
    const row = rows.get(call.name) ?? {
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      cost: null,
      calls: 0,
    }
    row.input_tokens += call.usage.input_tokens ?? 0
    row.output_tokens += call.usage.output_tokens ?? 0
    row.total_tokens += call.usage.total_tokens ?? 0
    row.cost = plus(row.cost, costOfCall(call, prices))
    row.calls += 1
    rows.set(call.name, row)
  }
  return [...rows].map(([name, { cost, calls, ...usage }]) => ({
    key: name,
    name,
    usage,
    cost,
    about: callCount(calls),
  }))
}

function runRows(view: View, prices: Prices): readonly Row[] {
  const costs = new Map<string, number | null>()
  for (const call of view.calls.values()) {
    if (call.kind === 'llm')
      costs.set(call.run_id, plus(costs.get(call.run_id) ?? null, costOfCall(call, prices)))
  }
  return [...view.runs.values()].map((run, index) => ({
    key: run.run_id,
    name: `${index + 1} · ${run.agent}`,
    usage: run.usage,
    cost: costs.get(run.run_id) ?? null,
    about: run.ended_at === null ? 'running' : formatDuration(run.ended_at - run.started_at),
  }))
}

/** Providers count a call when it ends. */
function usageText(usage: Usage): string {
  if ((usage.total_tokens ?? 0) === 0) return 'counted as calls end'
  return `${formatShort(usage.input_tokens ?? 0)} in · ${formatShort(usage.output_tokens ?? 0)} out`
}

function callCount(count: number): string {
  return `${count} ${count === 1 ? 'call' : 'calls'}`
}
