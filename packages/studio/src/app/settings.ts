import { createStore } from 'zustand/vanilla'

export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  readonly profile: 'user' | 'debug'
  /** Width of the inspector, in pixels. */
  readonly inspector: number
  readonly token: string
}

const KEY = 'skein.studio'
const DEFAULTS: Settings = { theme: 'system', profile: 'user', inspector: 560, token: '' }

/** What a person prefers, kept in the browser. */
export const settings = createStore<Settings>(() => ({ ...DEFAULTS, ...saved() }))

settings.subscribe((state) => {
  applyTheme(state.theme)
  try {
    localStorage.setItem(KEY, JSON.stringify(state))
  } catch {
    // A browser that keeps nothing still works.
  }
})

/** Takes the token of a link that `skein start` printed (`#token=…`), and out of the address bar. Whether there was one. */
export function takeToken(): boolean {
  const [, token] = /^#token=(.+)$/.exec(window.location.hash) ?? []
  if (token === undefined) return false
  settings.setState({ token: decoded(token) })
  window.history.replaceState(null, '', '#/')
  return true
}

export function applyTheme(theme: Settings['theme']): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function saved(): Partial<Settings> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
