/** What a colour says. */
export type Tone = 'idle' | 'running' | 'accent' | 'ok' | 'warn' | 'error'

const TONES: Readonly<Record<string, Tone>> = {
  running: 'running',
  busy: 'running',
  live: 'ok',
  connecting: 'running',
  pending: 'idle',
  waiting: 'warn',
  interrupted: 'warn',
  retrying: 'warn',
  pending_frontend: 'warn',
  error: 'error',
  refused: 'error',
  ok: 'ok',
  success: 'ok',
  cancelled: 'idle',
  idle: 'idle',
}

/** Of a call, a run, a thread or a connection. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'idle'
}
