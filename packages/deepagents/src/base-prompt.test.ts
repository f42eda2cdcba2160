import { expect, it } from 'vitest'
import { BASE_PROMPT, composePrompt, subAgentPrompt } from './base-prompt.ts'

it('puts the instructions first', () => {
  expect(composePrompt(' Do it. ', 'Base.')).toBe('Do it.\n\nBase.')
  expect(composePrompt('', 'Base.')).toBe('Base.')
  expect(composePrompt('Do it.', '')).toBe('Do it.')
})

it('teaches planning, files and delegation', () => {
  expect(BASE_PROMPT).toMatchSnapshot('main agent')
  const all = new Set(['write_todos', 'read_file', 'write_file', 'edit_file'])
  expect(subAgentPrompt(all)).toMatchSnapshot('sub-agent')
})

it('does not tell a sub-agent that can only read to write or to plan', () => {
  const prompt = subAgentPrompt(new Set(['ls', 'read_file']))
  expect(prompt).toContain('put into the answer everything')
  expect(prompt).not.toMatch(/write|edit|plan/)
})
