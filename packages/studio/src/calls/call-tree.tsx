import { useVirtualizer } from '@tanstack/react-virtual'
import { ListTree, Search } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { EmptyState } from '../design/empty-state.tsx'
import { usePage, useView } from '../store/page-context.ts'
import { CallRow } from './call-row.tsx'
import { treeRows, type CallFilter } from './tree-rows.ts'

const FILTERS: readonly { readonly value: CallFilter; readonly text: string }[] = [
  { value: 'all', text: 'All' },
  { value: 'agents', text: 'Agents' },
  { value: 'tools', text: 'Tools' },
  { value: 'models', text: 'Models' },
  { value: 'errors', text: 'Trouble' },
]

/** Every call of the thread as a tree. Only the lines in sight are in the page, so a hundred thousand cost no more. */
export function CallTree(): ReactNode {
  const view = useView()
  const page = usePage()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [filter, setFilter] = useState<CallFilter>('all')
  const [find, setFind] = useState('')
  const rows = useMemo(() => treeRows(view, { closed, filter, find }), [view, closed, filter, find])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 12,
  })
  const at = rows.findIndex(({ call }) => call.id === page.selected)
  // Scrolls when another call is selected, not when rows come in above it.
  const seen = useRef<string | null>(null)
  useEffect(() => {
    if (at === -1 || seen.current === page.selected) return
    seen.current = page.selected
    virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, page.selected, virtual])

  function toggle(id: string, isOpen: boolean): void {
    const next = new Set(closed)
    if (isOpen) next.delete(id)
    else next.add(id)
    setClosed(next)
  }
  function press(event: KeyboardEvent): void {
    const row = rows[at]
    const go = (index: number): void => {
      const target = rows[Math.max(0, Math.min(rows.length - 1, index))]
      if (target !== undefined) page.select(target.call.id)
    }
    if (event.key === 'ArrowDown') go(at + 1)
    else if (event.key === 'ArrowUp') go(at - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(rows.length - 1)
    else if (event.key === 'ArrowRight' && row !== undefined) {
      if (row.hasChildren && !row.isOpen) toggle(row.call.id, true)
      else if (row.hasChildren) go(at + 1)
    } else if (event.key === 'ArrowLeft' && row !== undefined) {
      if (row.hasChildren && row.isOpen) toggle(row.call.id, false)
      else if (row.call.parent_id !== null) page.select(row.call.parent_id)
    } else return
    event.preventDefault()
  }

  return (
    <div className="cw-calls">
      <div className="cw-calls-bar">
        <label className="cw-find">
          <Search size={13} aria-hidden />
          <input
            className="cw-focusable"
            type="search"
            aria-label="Find a call"
            placeholder="Find by name, argument or text"
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
        <div className="cw-chips" role="group" aria-label="Show">
          {FILTERS.map(({ value, text }) => (
            <button
              key={value}
              type="button"
              className="cw-chip cw-focusable"
              aria-pressed={filter === value}
              onClick={() => setFilter(value)}
            >
              {text}
            </button>
          ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <EmptyState icon={ListTree} title={view.calls.size === 0 ? 'No calls yet' : 'Nothing matches'}>
          {view.calls.size === 0
            ? 'Each graph, sub-agent, tool and model call of a run appears here as it starts.'
            : 'Clear the search or choose another filter.'}
        </EmptyState>
      ) : (
        <div
          className="cw-calls-scroll cw-focusable"
          ref={scroller}
          role="tree"
          aria-label="Calls"
          tabIndex={0}
          aria-activedescendant={at === -1 ? undefined : `call-${page.selected ?? ''}`}
          onKeyDown={press}
        >
          <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              return (
                <CallRow
                  key={key}
                  row={row}
                  top={start}
                  isSelected={row.call.id === page.selected}
                  onSelect={page.select}
                  onToggle={toggle}
                />
              )
            })}
          </div>
        </div>
      )}
    </div>
  )
}
