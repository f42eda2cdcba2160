// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest'

const DEFAULTS = { theme: 'system', profile: 'user', inspector: 560, token: '' }

beforeEach(() => vi.resetModules())

it.each([
  ['nothing', null, {}],
  ['what is not JSON', '{', {}],
  ['another shape', '[1]', {}],
  ['a theme of a later version', '{"theme":"sepia","token":"t"}', { token: 't' }],
  [
    'what was chosen',
    '{"theme":"dark","profile":"debug","inspector":400}',
    { theme: 'dark', profile: 'debug', inspector: 400 },
  ],
])('starts from %s', async (_, kept, chosen) => {
  localStorage.clear()
  if (kept !== null) localStorage.setItem('clewline.studio', kept)
  const { settings } = await import('./settings.ts')
  expect(settings.getState()).toEqual({ ...DEFAULTS, ...chosen })
})
