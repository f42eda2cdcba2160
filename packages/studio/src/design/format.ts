const COUNT = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return COUNT.format(count)
}

/** 1234 → `1.2k`: for narrow places. */
export function formatShort(count: number): string {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${trim(count / 1000)}k`
  return `${trim(count / 1_000_000)}M`
}

export function formatDuration(seconds: number): string {
  if (seconds < 0.001) return '<1 ms'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${Math.floor(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** Small costs keep the digits that matter: `$0.0042`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars < 0.01) return `$${dollars.toPrecision(2)}`
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`
}

/** As on a player: `1:04.2`. */
export function formatClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${(seconds % 60).toFixed(1).padStart(4, '0')}`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${trim(bytes / 1024)} KB`
  return `${trim(bytes / 1024 / 1024)} MB`
}

function trim(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '')
}
