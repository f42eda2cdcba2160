import { expect, it } from 'vitest'
import { BASE_PROMPT, SUBAGENT_PROMPT, composePrompt } from './base-prompt.ts'

it('puts the instructions first', () => {
  expect(composePrompt(' Do it. ', 'Base.')).toBe('Do it.\n\nBase.')
  expect(composePrompt('', 'Base.')).toBe('Base.')
  expect(composePrompt('Do it.', '')).toBe('Do it.')
})

it('teaches planning, files and delegation', () => {
  expect(BASE_PROMPT).toMatchSnapshot('main agent')
  expect(SUBAGENT_PROMPT).toMatchSnapshot('sub-agent')
})
