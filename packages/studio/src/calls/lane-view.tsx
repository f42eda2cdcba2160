import { lanes, type Call, type Lane } from '@skein/core/view'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChartGantt, ZoomIn, ZoomOut } from 'lucide-react'
import { memo, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import { EmptyState } from '../design/empty-state.tsx'
import { formatDuration } from '../design/format.ts'
import { hueOf } from '../design/hue.ts'
import { IconButton } from '../design/icon-button.tsx'
import { StatusDot } from '../design/status-dot.tsx'
import { usePage, ViewContext } from '../store/page-context.ts'
import { callAbout } from './call-about.ts'
import { callTitle } from './call-title.ts'
import { laneBars } from './lane-bars.ts'
import { lastMoment } from './last-moment.ts'
import { timeScale, type TimeScale } from './time-scale.ts'

/** A lane per agent on one time axis: sub-agents that ran in parallel are seen side by side. */
export function LaneView(): ReactNode {
  const { view, timeline } = useContext(ViewContext)
  const page = usePage()
  const [zoom, setZoom] = useState(1)
  const all = useMemo(() => lanes(view), [view])
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
    <div className="sk-lanes">
      <div className="sk-lanes-bar">
        <span className="sk-hint">
          {all.length} {all.length === 1 ? 'lane' : 'lanes'} · {formatDuration(scale.span)}
          {scale.folds.length > 0 && ` · ${scale.folds.length} idle stretches folded`}
        </span>
        <span className="sk-grow" />
        <i className="sk-key" data-kind="llm" /> <span className="sk-hint">model</span>
        <i className="sk-key" data-kind="tool" /> <span className="sk-hint">tool</span>
        <IconButton label="Zoom out" size="small" disabled={zoom <= 1} onClick={() => setZoom(zoom / 2)}>
          <ZoomOut size={14} />
        </IconButton>
        <IconButton label="Zoom in" size="small" disabled={zoom >= 64} onClick={() => setZoom(zoom * 2)}>
          <ZoomIn size={14} />
        </IconButton>
      </div>
      <div
        className="sk-lanes-scroll sk-focusable"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Timeline of agents"
      >
        <div className="sk-lanes-field" style={{ '--sk-zoom': zoom }}>
          <Axis scale={scale} ticks={Math.min(6 * zoom, 60)} />
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
              const lane = all[index]
              if (lane === undefined) return null
              return (
                <div
                  className="sk-lane"
                  key={key}
                  style={{ top: start }}
                  data-selected={lane.call_id === page.selected || undefined}
                >
                  <LaneHead lane={lane} call={view.calls.get(lane.call_id)} onSelect={page.select} />
                  <div className="sk-lane-track">
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

function LaneHead(props: {
  readonly lane: Lane
  readonly call: Call | undefined
  readonly onSelect: (call: string) => void
}): ReactNode {
  const { lane, call } = props
  const title = call === undefined ? lane.name : callTitle(call)
  const about = call === undefined ? '' : callAbout(call, 60)
  return (
    <button
      type="button"
      className="sk-lane-head sk-focusable"
      title={about}
      style={{ paddingLeft: 10 + Math.min(lane.depth, 4) * 10, '--sk-hue': hueOf(title) }}
      onClick={() => props.onSelect(lane.call_id)}
    >
      <i />
      <span className="sk-lane-name">
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
      className="sk-bar sk-focusable"
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

function Axis({ scale, ticks }: { readonly scale: TimeScale; readonly ticks: number }): ReactNode {
  return (
    <div className="sk-axis" aria-hidden>
      <div className="sk-axis-track">
        {Array.from({ length: ticks }, (_, index) => (
          <span key={index} style={{ left: `${(index / ticks) * 100}%` }}>
            {index === 0 ? '0' : formatDuration((index / ticks) * scale.span)}
          </span>
        ))}
        {scale.folds.map(({ at, seconds }) => (
          <b key={at} style={{ left: `${at * 100}%` }} title={`${formatDuration(seconds)} idle`} />
        ))}
      </div>
    </div>
  )
}
