/** Where the page is. It is in the URL, so that a link shows the same thing on another device. */
export type Route =
  | { readonly to: 'home'; readonly agent?: string }
  | {
      readonly to: 'thread'
      readonly thread: string
      readonly call?: string
      readonly at?: number
      readonly tab?: string
    }
  | { readonly to: 'recording' }
  | { readonly to: 'background' }
  | { readonly to: 'compare'; readonly left?: string; readonly right?: string }

/**
 * Routes live behind the `#`: any host that serves one HTML file can serve the studio, and the thread's id is not sent
 * to it.
 */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const search = new URLSearchParams(query)
  const [section, id] = path.split('/').map(decodeSegment)
  if (section === 'threads' && id) {
    const at = Number(search.get('at') ?? Number.NaN)
    return {
      to: 'thread',
      thread: id,
      ...optional('call', search.get('call')),
      ...optional('tab', search.get('tab')),
      ...(Number.isInteger(at) && at >= 0 && { at }),
    }
  }
  if (section === 'recording') return { to: 'recording' }
  if (section === 'background') return { to: 'background' }
  if (section === 'compare') {
    return {
      to: 'compare',
      ...optional('left', search.get('left')),
      ...optional('right', search.get('right')),
    }
  }
  return { to: 'home', ...optional('agent', search.get('agent')) }
}

export function formatRoute(route: Route): string {
  switch (route.to) {
    case 'home':
      return `#/${query({ agent: route.agent })}`
    case 'recording':
    case 'background':
      return `#/${route.to}`
    case 'compare':
      return `#/compare${query({ left: route.left, right: route.right })}`
    case 'thread': {
      const { call, at, tab } = route
      return `#/threads/${encodeURIComponent(route.thread)}${query({ call, at: at?.toString(), tab })}`
    }
  }
}

function query(parts: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(parts)) if (value !== undefined) search.set(key, value)
  return search.size === 0 ? '' : `?${search.toString()}`
}

function optional<K extends string>(key: K, value: string | null): { readonly [key in K]?: string } {
  return value === null || value === '' ? {} : ({ [key]: value } as { readonly [key in K]: string })
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
