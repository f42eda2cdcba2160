import type { View } from '@clewline/core/view'
import { fieldsOf } from '../fields-of.ts'

export interface Budget {
  readonly label: string
  readonly used: number
  readonly limit: number
  readonly unit: string
}

type Count = (view: View) => number

const LIMITS: readonly (readonly [name: string, label: string, unit: string, used: Count])[] = [
  ['max_total_tokens', 'Budget', 'tokens', (view) => view.usage.total_tokens ?? 0],
  ['max_input_tokens', 'Input budget', 'tokens', (view) => view.usage.input_tokens ?? 0],
  ['max_output_tokens', 'Output budget', 'tokens', (view) => view.usage.output_tokens ?? 0],
  ['max_model_calls', 'Model calls', 'calls', (view) => countOf(view, 'llm')],
  ['max_tool_calls', 'Tool calls', 'calls', (view) => countOf(view, 'tool')],
]

/**
 * The limits that an agent announced under `budget` in its state, with what is used of them: as limits by name, or, as
 * `@clewline/prompts` does after each model call, the tightest of them with its own count.
 */
export function budgetsOf(view: View): readonly Budget[] {
  const told = fieldsOf(view.state['budget'])
  const { dimension, used, limit } = told
  if (typeof dimension === 'string' && typeof used === 'number' && typeof limit === 'number') {
    const [, label = dimension, unit = ''] = LIMITS.find(([name]) => name === `max_${dimension}`) ?? []
    return [{ label, used, limit, unit }]
  }
  return LIMITS.flatMap(([name, label, unit, used]) => {
    const limit = told[name] ?? told[camelCase(name)]
    return typeof limit === 'number' && limit > 0 ? [{ label, used: used(view), limit, unit }] : []
  })
}

function countOf(view: View, kind: 'llm' | 'tool'): number {
  let count = 0
  for (const call of view.calls.values()) if (call.kind === kind) count += 1
  return count
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
