import type { ReactNode } from 'react'
import { formatCost, formatShort } from '../design/format.ts'
import { usePage, useView } from '../store/page-context.ts'
import { costWithin } from './cost.ts'

/** What the thread has used so far, in a few characters. */
export function UsageChip(): ReactNode {
  const view = useView()
  const { prices } = usePage()
  const tokens = view.usage.total_tokens ?? 0
  if (tokens === 0) return null
  const cost = Object.keys(prices).length === 0 ? null : costWithin(view, view.roots, prices)
  return (
    <span className="cw-usage-chip cw-num" title="Tokens and cost of this thread">
      {formatShort(tokens)} tokens{cost !== null && ` · ${formatCost(cost)}`}
    </span>
  )
}
