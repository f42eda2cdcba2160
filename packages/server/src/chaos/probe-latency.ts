import { setTimeout as sleep } from 'node:timers/promises'

export interface Latency {
  readonly probes: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Asks a URL again and again, as a health check does, until `signal` aborts: how long the answers took, in milliseconds. */
export async function probeLatency(url: string, signal: AbortSignal, everyMs = 20): Promise<Latency> {
  const took: number[] = []
  while (!signal.aborted) {
    const startedAt = performance.now()
    const response = await fetch(url)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${response.status} for ${url}`)
    took.push(performance.now() - startedAt)
    await sleep(everyMs)
  }
  took.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((took[Math.floor(share * (took.length - 1))] ?? 0) * 10) / 10
  return { probes: took.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
