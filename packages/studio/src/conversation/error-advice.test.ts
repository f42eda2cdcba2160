import { expect, it } from 'vitest'
import { errorAdvice } from './error-advice.ts'

it.each([
  ['GraphRecursionError', 'Recursion limit of 25 reached', /recursion_limit/],
  ['Error', '429 Too Many Requests', /Wait a little/],
  ['TypeError', 'fetch failed', /could not be reached/],
  ['DeadlineExceeded', 'the deadline passed', /longer deadline/],
  ['Error', 'x is not a function', /Send the message again/],
])('advises on %s: %s', (kind, message, advice) => {
  expect(errorAdvice({ class: kind, message })).toMatch(advice)
})
