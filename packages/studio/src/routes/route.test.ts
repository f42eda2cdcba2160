import { describe, expect, it } from 'vitest'
import { formatRoute, parseRoute, type Route } from './route.ts'

describe('routes', () => {
  it.each<Route>([
    { to: 'home' },
    { to: 'home', agent: 'a b' },
    { to: 'thread', thread: 'a b/c?d#e' },
    { to: 'thread', thread: 't', call: 'c-1', at: 0, tab: 'files' },
    { to: 'recording' },
    { to: 'background' },
    { to: 'compare' },
    { to: 'compare', left: 'a', right: 'b' },
  ])('survives the URL: %j', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route)
  })

  it.each(['', '#', '#/nowhere', '#/threads/', '#/threads'])('takes %j as home', (hash) => {
    expect(parseRoute(hash)).toEqual({ to: 'home' })
  })

  it('ignores a position that is none', () => {
    expect(parseRoute('#/threads/t?at=-3')).toEqual({ to: 'thread', thread: 't' })
    expect(parseRoute('#/threads/%')).toEqual({ to: 'thread', thread: '%' })
  })
})
