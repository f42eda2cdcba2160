import { useSyncExternalStore } from 'react'
import { formatRoute, parseRoute, type Route } from './route.ts'

let known: { hash: string; route: Route } = { hash: '', route: { to: 'home' } }

export function currentRoute(): Route {
  const { hash } = window.location
  if (known.hash !== hash) known = { hash, route: parseRoute(hash) }
  return known.route
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute)
}

/** `replace` for what is not a place of its own: a selection, a moment. */
export function goTo(route: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = formatRoute(route)
  if (hash === window.location.hash) return
  if (how === 'push') window.location.hash = hash
  else {
    window.history.replaceState(null, '', hash)
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}
