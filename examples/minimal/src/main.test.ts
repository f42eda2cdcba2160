import { expect, test, vi } from 'vitest'

test('the smallest program prints every envelope of its run', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import('./main.ts')
  const lines = log.mock.calls.map((words) => words.join(' '))
  log.mockRestore()
  expect(lines[0]).toContain('tool_start hello {"tool_name":"hello","kind":"graph"')
  expect(lines.filter((line) => line.startsWith('llm_token'))).toHaveLength(5)
  expect(lines.at(-1)).toMatch(/^tool_end hello .*Hello from inside the graph\..*"status":"ok"/)
})
