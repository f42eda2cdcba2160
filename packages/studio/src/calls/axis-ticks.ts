export interface Tick {
  /** 0 … 1 across the picture. */
  readonly at: number
  readonly text: string
}

// Further to the right there is no room for what it says.
const LAST = 0.95

/** Round moments on an axis of `span` seconds, about `count` of them: 1, 2 or 5 times a power of ten apart. */
export function axisTicks(span: number, count: number): readonly Tick[] {
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  return Array.from({ length: Math.ceil(span / step) }, (_, index) => ({
    at: (index * step) / span,
    text: textOf(index * step),
  })).filter(({ at }) => at < LAST)
}

function textOf(seconds: number): string {
  if (seconds === 0) return '0'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`
  const rest = Math.round(seconds % 60)
  return rest === 0 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 60)}m ${rest}s`
}
