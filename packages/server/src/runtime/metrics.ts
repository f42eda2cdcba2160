import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** What an operator watches, in Prometheus' format. */
export interface Metrics {
  readonly registry: Registry
  readonly runsEnded: Counter<'status'>
  readonly runsRecovered: Counter
  readonly queueWait: Histogram
  readonly firstToken: Histogram
  readonly envelopes: Counter
  readonly logBytes: Counter
  readonly appendTime: Histogram
  readonly warnings: Counter<'code'>
  readonly readersCut: Counter
  readonly cronTicks: Counter<'outcome'>
  readonly compactionsFailed: Counter
  readonly refusals: Counter<'reason'>
  /** A figure that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** The same by one label; `read` keeps the number of its values small. */
  gaugeBy(name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const seconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]
  return {
    registry,
    runsEnded: new Counter({
      name: 'clewline_runs_ended_total',
      help: 'Runs that ended, by status.',
      labelNames: ['status'],
      registers,
    }),
    runsRecovered: new Counter({
      name: 'clewline_runs_recovered_total',
      help: 'Runs taken up again after their worker died or drained.',
      registers,
    }),
    queueWait: new Histogram({
      name: 'clewline_run_wait_seconds',
      help: 'From when a run was due to when a worker took it.',
      buckets: seconds,
      registers,
    }),
    firstToken: new Histogram({
      name: 'clewline_first_token_seconds',
      help: 'From when a worker took a run to its first token.',
      buckets: seconds,
      registers,
    }),
    envelopes: new Counter({
      name: 'clewline_envelopes_total',
      help: 'Envelopes appended to the log.',
      registers,
    }),
    logBytes: new Counter({
      name: 'clewline_log_bytes_total',
      help: 'Bytes appended to the log.',
      registers,
    }),
    appendTime: new Histogram({
      name: 'clewline_append_seconds',
      help: 'Time to encode and commit a batch.',
      buckets: [0.0002, 0.001, 0.005, 0.02, 0.1, 1],
      registers,
    }),
    warnings: new Counter({
      name: 'clewline_warnings_total',
      help: 'Warnings in the log, by code.',
      labelNames: ['code'],
      registers,
    }),
    readersCut: new Counter({
      name: 'clewline_readers_cut_total',
      help: 'Readers cut because they stopped reading.',
      registers,
    }),
    cronTicks: new Counter({
      name: 'clewline_cron_ticks_total',
      help: 'Cron ticks, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    compactionsFailed: new Counter({
      name: 'clewline_compactions_failed_total',
      help: 'Runs whose log could not be compacted; each is tried again later.',
      registers,
    }),
    refusals: new Counter({
      name: 'clewline_refusals_total',
      help: 'What was refused because its owner is at a limit, by the limit.',
      labelNames: ['reason'],
      registers,
    }),
    gauge(name, help, read) {
      registry.registerMetric(
        new Gauge({
          name,
          help,
          registers: [],
          async collect() {
            this.set(await read())
          },
        }),
      )
    },
    gaugeBy(name, help, label, read) {
      registry.registerMetric(
        new Gauge({
          name,
          help,
          labelNames: [label],
          registers: [],
          async collect() {
            const values = await read()
            this.reset()
            for (const [value, n] of values) this.set({ [label]: value }, n)
          },
        }),
      )
    },
  }
}
