import type { Call } from '@clewline/core/view'
import type { ReactNode } from 'react'
import { formatCost, formatCount, formatDuration } from '../design/format.ts'
import { usePage, useView } from '../store/page-context.ts'
import { costWithin } from './cost.ts'

/** What one call, with everything below it, used. */
export function CallUsage({ call }: { readonly call: Call }): ReactNode {
  const { prices } = usePage()
  const view = useView()
  const { total } = call
  const cost = costWithin(view, [call.id], prices)
  const toFirst = call.first_token_at === null ? null : call.first_token_at - call.started_at
  const spoke =
    call.first_token_at === null || call.ended_at === null ? null : call.ended_at - call.first_token_at
  const output = call.usage.output_tokens
  const facts: readonly (readonly [string, string | null])[] = [
    ['In', total.input_tokens === undefined ? null : formatCount(total.input_tokens)],
    ['Out', total.output_tokens === undefined ? null : formatCount(total.output_tokens)],
    ['Cached', total.cached_tokens ? formatCount(total.cached_tokens) : null],
    ['Reasoning', total.reasoning_tokens ? formatCount(total.reasoning_tokens) : null],
    ['Cost', cost === null ? null : formatCost(cost)],
    ['First token', toFirst === null ? null : formatDuration(toFirst)],
    ['Speed', spoke && output ? `${Math.round(output / spoke)} tok/s` : null],
    ['Finish', call.finish_reason ?? null],
    ['Node', call.node ?? null],
  ]
  const known = facts.filter(([, value]) => value !== null)
  if (known.length === 0) return null
  return (
    <dl className="cw-facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="cw-num">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
