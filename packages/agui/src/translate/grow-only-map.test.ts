import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryOf, keysOf, growOnlyMap, withEntry } from './grow-only-map.ts'

const key = fc.oneof(fc.constantFrom('constructor', '__proto__', 'a', 'b'), fc.string({ maxLength: 3 }))
const entry = fc.tuple(key, fc.nat())

test('is a map, whatever the keys and however many, and no version of it changes', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.array(entry, { maxLength: 400 }), (first, then) => {
      let layers = growOnlyMap(first)
      const map = new Map(first)
      const before = JSON.stringify(layers)
      const start = layers
      for (const [name, value] of then) {
        layers = withEntry(layers, name, value)
        map.set(name, value)
      }
      for (const name of [...map.keys(), 'toString', 'none'])
        expect(entryOf(layers, name)).toBe(map.get(name))
      expect(keysOf(layers)).toEqual(new Set(map.keys()))
      expect(JSON.stringify(start)).toBe(before)
    }),
  )
})
