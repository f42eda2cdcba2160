import type { Usage } from '@clewline/core'
import type { View } from '@clewline/core/view'

/** `0.4s`, `12s`, `3m 05s`, `1h 02m`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)}s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}s`
  const pad = (n: number): string => String(n).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${pad(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h ${pad(Math.floor((whole % 3600) / 60))}m`
}

const number = (n: number): string => n.toLocaleString('en-US')

/** `21→14` tokens in and out; empty when nothing is known. */
export function tokens({ input_tokens, output_tokens }: Usage): string {
  if (input_tokens === undefined && output_tokens === undefined) return ''
  return `${input_tokens === undefined ? '?' : number(input_tokens)}→${output_tokens === undefined ? '?' : number(output_tokens)}`
}

/** The line under a tree: calls, tokens, time. */
export function totals(view: View, now: number): string {
  const [started, ended] = span(view, now)
  const { input_tokens, output_tokens } = view.usage
  const parts = [`${number(view.calls.size)} ${view.calls.size === 1 ? 'call' : 'calls'}`]
  if (input_tokens !== undefined) parts.push(`${number(input_tokens)} tokens in`)
  if (output_tokens !== undefined) parts.push(`${number(output_tokens)} out`)
  parts.push(duration(ended - started))
  return parts.join(' · ')
}

/** Time spent in the roots that are shown, pauses between them left out. */
function span(view: View, now: number): readonly [number, number] {
  let sum = 0
  for (const id of view.roots) {
    const root = view.calls.get(id)
    if (root !== undefined) sum += (root.ended_at ?? Math.max(now, root.started_at)) - root.started_at
  }
  return [0, sum]
}
