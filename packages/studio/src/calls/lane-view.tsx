import { lanes, type Call, type Lane, type View } from '@clewline/core/view'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChartGantt, ZoomIn, ZoomOut } from 'lucide-react'
import { memo, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import { EmptyState } from '../design/empty-state.tsx'
import { formatDuration } from '../design/format.ts'
import { useHue } from '../design/hue.ts'
import { IconButton } from '../design/icon-button.tsx'
import { StatusDot } from '../design/status-dot.tsx'
import { usePage, ViewContext } from '../store/page-context.ts'
import { axisTicks } from './axis-ticks.ts'
import { callAbout } from './call-about.ts'
import { callTitle } from './call-title.ts'
import { laneBars } from './lane-bars.ts'
import { lastMoment } from './call-clock.ts'
import { tellApart } from './tell-apart.ts'
import { timeScale, type TimeScale } from './time-scale.ts'

/** A lane per agent on one time axis: sub-agents that ran in parallel are seen side by side. */
export function LaneView(): ReactNode {
  const { view, timeline } = useContext(ViewContext)
  const page = usePage()
  const [zoom, setZoom] = useState(1)
  const all = useMemo(() => lanes(view), [view])
  const names = useMemo(() => namesOf(view, all), [view, all])
  const now = lastMoment(view, timeline)
  const scale = useMemo(() => timeScale(all, now), [all, now])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: all.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 40,
    overscan: 8,
    getItemKey: (index) => all[index]?.call_id ?? index,
  })
  if (all.length === 0) {
    return (
      <EmptyState icon={ChartGantt} title="No agents yet">
        Each agent of a run gets a lane here, with its model and tool calls on a shared time axis.
      </EmptyState>
    )
  }
  return (
    <div className="cw-lanes">
      <div className="cw-lanes-bar">
        <span className="cw-hint">
          {all.length} {all.length === 1 ? 'lane' : 'lanes'} · {formatDuration(scale.span)}
          {scale.folds.length > 0 &&
            ` · ${scale.folds.length} idle ${scale.folds.length === 1 ? 'stretch' : 'stretches'} folded`}
        </span>
        <span className="cw-grow" />
        <i className="cw-key" data-kind="llm" /> <span className="cw-hint">model</span>
        <i className="cw-key" data-kind="tool" /> <span className="cw-hint">tool</span>
        <IconButton label="Zoom out" size="small" disabled={zoom <= 1} onClick={() => setZoom(zoom / 2)}>
          <ZoomOut size={14} />
        </IconButton>
        <IconButton label="Zoom in" size="small" disabled={zoom >= 64} onClick={() => setZoom(zoom * 2)}>
          <ZoomIn size={14} />
        </IconButton>
      </div>
      <div
        className="cw-lanes-scroll cw-focusable"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Timeline of agents"
      >
        <div className="cw-lanes-field" style={{ '--cw-zoom': zoom }}>
          <Axis scale={scale} count={Math.min(6 * zoom, 60)} />
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
              const lane = all[index]
              if (lane === undefined) return null
              return (
                <div
                  className="cw-lane"
                  key={key}
                  style={{ top: start }}
                  data-selected={lane.call_id === page.selected || undefined}
                >
                  <LaneHead lane={lane} name={names.get(lane.call_id)} onSelect={page.select} />
                  <div className="cw-lane-track">
                    <LaneBars
                      lane={lane}
                      scale={scale}
                      now={now}
                      selected={page.selected}
                      onSelect={page.select}
                    />
                  </div>
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

interface LaneName {
  readonly agent: string
  readonly title: string
  readonly about: string
}

/** What each lane is called and about; lanes of one name say only what tells them apart. */
function namesOf(view: View, all: readonly Lane[]): ReadonlyMap<string, LaneName> {
  const groups = new Map<string, Call[]>()
  for (const { call_id } of all) {
    const call = view.calls.get(call_id)
    if (call === undefined) continue
    const alike = groups.get(callTitle(call))
    if (alike === undefined) groups.set(callTitle(call), [call])
    else alike.push(call)
  }
  const names = new Map<string, LaneName>()
  for (const [title, calls] of groups) {
    const abouts = tellApart(calls.map((call) => callAbout(call, 240)))
    for (const [index, { id, agent }] of calls.entries())
      names.set(id, { agent, title, about: abouts[index] ?? '' })
  }
  return names
}

function LaneHead(props: {
  readonly lane: Lane
  readonly name: LaneName | undefined
  readonly onSelect: (call: string) => void
}): ReactNode {
  const { lane } = props
  const { agent, title, about } = props.name ?? { agent: lane.name, title: lane.name, about: '' }
  const hueOf = useHue()
  return (
    <button
      type="button"
      className="cw-lane-head cw-focusable"
      title={about === '' ? title : `${title}: ${about}`}
      style={{ paddingLeft: 10 + Math.min(lane.depth, 4) * 10, '--cw-hue': hueOf(agent) }}
      onClick={() => props.onSelect(lane.call_id)}
    >
      <i />
      <span className="cw-lane-name">
        {title}
        <span>{about}</span>
      </span>
      <StatusDot status={lane.status} />
    </button>
  )
}

const LaneBars = memo(function LaneBars(props: {
  readonly lane: Lane
  readonly scale: TimeScale
  readonly now: number
  readonly selected: string | null
  readonly onSelect: (call: string) => void
}): ReactNode {
  const bars = laneBars(props.lane, props.scale, props.now)
  return bars.map(({ call, x, width, count }) => (
    <button
      key={call.id}
      type="button"
      tabIndex={-1}
      className="cw-bar cw-focusable"
      data-kind={call.kind}
      data-status={call.status}
      data-selected={call.id === props.selected || undefined}
      style={{ left: `${x * 100}%`, width: `${width * 100}%` }}
      title={count > 1 ? `${count} calls, from ${callTitle(call)}` : callTitle(call)}
      aria-label={callTitle(call)}
      onClick={() => props.onSelect(call.id)}
    >
      <span>{call.kind === 'tool' ? callTitle(call) : ''}</span>
    </button>
  ))
})

function Axis({ scale, count }: { readonly scale: TimeScale; readonly count: number }): ReactNode {
  return (
    <div className="cw-axis" aria-hidden>
      <div className="cw-axis-track">
        {axisTicks(scale.span, count).map(({ at, text }) => (
          <span key={at} style={{ left: `${at * 100}%` }}>
            {text}
          </span>
        ))}
        {scale.folds.map(({ at, seconds }) => (
          <b key={at} style={{ left: `${at * 100}%` }} title={`${formatDuration(seconds)} idle`} />
        ))}
      </div>
    </div>
  )
}
