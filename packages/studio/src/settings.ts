import type { JsonObject } from '@clewline/core'
import { PROFILES, type Profile } from '@clewline/core/read'
import * as z from 'zod/mini'
import { createStore } from 'zustand/vanilla'
import { fieldsOf } from './fields-of.ts'
import { parseJson } from './parse-json.ts'

export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  readonly profile: Profile
  /** Width of the inspector, in pixels. */
  readonly inspector: number
  readonly token: string
}

const KEY = 'clewline.studio'
// What another version of the page has kept may be anything: what does not fit counts as not chosen.
const settingsSchema: z.ZodMiniType<Settings> = z.object({
  theme: z.catch(z.enum(['system', 'light', 'dark']), 'system'),
  profile: z.catch(z.enum(PROFILES), 'user'),
  inspector: z.catch(z.number(), 560),
  token: z.catch(z.string(), ''),
})

/** What a person prefers, kept in the browser. */
export const settings = createStore<Settings>(() => settingsSchema.parse(saved()))

settings.subscribe((state) => {
  applyTheme(state.theme)
  try {
    localStorage.setItem(KEY, JSON.stringify(state))
  } catch {
    // A browser that keeps nothing still works.
  }
})

/** Takes the token of a link that `clewline start` printed (`#token=…`), and out of the address bar. Whether there was one. */
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

function saved(): JsonObject {
  try {
    return fieldsOf(parseJson(localStorage.getItem(KEY) ?? ''))
  } catch {
    return {}
  }
}
