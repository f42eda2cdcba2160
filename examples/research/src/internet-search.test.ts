import { LLMock } from '@copilotkit/aimock'
import { afterEach, expect, it, vi } from 'vitest'
import { internetSearch } from './internet-search.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('says that it is not set up, and that the work goes on', async () => {
  vi.stubEnv('TAVILY_API_KEY', '')
  expect(await internetSearch.invoke({ query: 'tea' })).toMatch(
    /TAVILY_API_KEY is not set.*mark it as not verified/,
  )
})

it('asks Tavily and lists what it found', async () => {
  const server = new LLMock({ port: 0 })
  server.onSearch(/tea/, [
    { title: 'Tea', url: 'https://example.org/tea', content: 'Leaves in water.' },
    { title: 'Cups', url: 'https://example.org/cups', content: '' },
  ])
  await server.start()
  vi.stubEnv('TAVILY_API_KEY', 'key')
  vi.stubEnv('TAVILY_BASE_URL', server.url)
  const found = await internetSearch.invoke({ query: 'green tea' })
  const none = await internetSearch.invoke({ query: 'coffee' })
  await server.stop()
  expect(found).toContain(
    '1. Tea — https://example.org/tea\n   Leaves in water.\n2. Cups — https://example.org/cups',
  )
  expect(none).toBe('No results for "coffee".')
  expect(await internetSearch.invoke({ query: 'tea' })).toMatch(/the search for "tea" failed/)
})
