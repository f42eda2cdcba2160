const WORDS: Readonly<Record<string, string>> = {
  ok: 'Done',
  success: 'Done',
  busy: 'Running',
  waiting: 'Waits for you',
  interrupted: 'Waits for you',
  pending_frontend: 'Waits for this page',
  error: 'Failed',
  retrying: 'Reconnecting',
  refused: 'No access',
}

export function statusText(status: string): string {
  return WORDS[status] ?? status.charAt(0).toUpperCase() + status.slice(1).replaceAll('_', ' ')
}
