import { describe, expect, it } from 'vitest'
import { formatBytes, formatClock, formatCost, formatDuration, formatShort } from './format.ts'

describe('formats', () => {
  it.each([
    [formatDuration(0.0421), '42 ms'],
    [formatDuration(3.26), '3.3 s'],
    [formatDuration(75), '1m 15s'],
    [formatDuration(3720), '1h 2m'],
    [formatShort(999), '999'],
    [formatShort(1234), '1.2k'],
    [formatShort(12_345), '12k'],
    [formatShort(2_000_000), '2M'],
    [formatCost(0), '$0'],
    [formatCost(0.00421), '$0.0042'],
    [formatCost(0.1234), '$0.123'],
    [formatCost(12.345), '$12.35'],
    [formatClock(64.2), '1:04.2'],
    [formatBytes(1536), '1.5 KB'],
  ])('%s', (actual, expected) => {
    expect(actual).toBe(expected)
  })
})
