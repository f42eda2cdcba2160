import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../result/tool-result.ts'
import { tool } from './tool.ts'

const handler = () => ok(null)

describe('definition', () => {
  test.each([
    '',
    'Upper',
    'white space',
    'a'.repeat(65),
    'ünder',
    'open_sections',
    'submit_output',
    'extract-x',
  ])('B8: the name %j is rejected', (name) => {
    expect(() => tool({ name, description: 'd', handler })).toThrow(
      expect.objectContaining({ code: 'bad-config' }),
    )
  })

  test.each(['', '  ', 'x'.repeat(201)])('B8: the description %j is rejected', (description) => {
    expect(() => tool({ name: 'x', description, handler })).toThrow('must have 1 to 200 characters')
  })

  test('the longest name and description pass', () => {
    expect(tool({ name: 'a'.repeat(64), description: 'x'.repeat(200), handler }).name).toHaveLength(64)
  })

  test('B22: a tool without parameters is shown as one that takes none', () => {
    expect(tool({ name: 'now', description: 'd', handler }).inputSchema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  test('parameters that are no object are rejected', () => {
    expect(() => tool({ name: 'x', description: 'd', params: z.string(), handler })).toThrow(
      'are not an object',
    )
  })

  test('a timeout must be positive', () => {
    expect(() => tool({ name: 'x', description: 'd', timeoutMs: 0, handler })).toThrow('must be positive')
  })
})
