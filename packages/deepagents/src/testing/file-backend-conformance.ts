import { describe, expect, it } from 'vitest'
import type { FileBackend } from '../file-backend.ts'

/** What every backend must do. `open` gives another backend of the same place, as a second agent would have. */
export function fileBackendConformance(
  title: string,
  make: () => Promise<{ backend: FileBackend; open: () => FileBackend }>,
): void {
  describe(`${title} as a file backend`, () => {
    it('starts empty, and holds what was written', async () => {
      const { backend, open } = await make()
      expect(await backend.load()).toEqual({})
      expect(await backend.apply({ op: 'write', name: 'm_a.md', content: 'one' })).toBe(true)
      expect(await backend.apply({ op: 'write', name: 'm_b.md', content: '' })).toBe(true)
      expect(await backend.apply({ op: 'write', name: 'm_a.md', content: 'two' })).toBe(true)
      expect(await open().load()).toEqual({ 'm_a.md': 'two', 'm_b.md': '' })
    })

    it.each(['m_constructor', 'm_Ünïcode 名前 👩.txt', 'm_x'.padEnd(150, 'x')])(
      'takes the name %j',
      async (name) => {
        const { backend } = await make()
        expect(backend.owns(name)).toBe(true)
        await backend.apply({ op: 'write', name, content: 'one\r\ntwo 👩 $& \u0000' })
        expect(await backend.load()).toEqual({ [name]: 'one\r\ntwo 👩 $& \u0000' })
      },
    )

    it('edits what is there, and only that', async () => {
      const { backend } = await make()
      const edit = (old: string, text: string, all = false) =>
        backend.apply({ op: 'edit', name: 'm_a.md', old, new: text, all })
      expect(await edit('x', 'y')).toBe(false)
      await backend.apply({ op: 'write', name: 'm_a.md', content: 'a b a' })
      expect(await edit('a', 'c')).toBe(false)
      expect(await edit('z', 'c')).toBe(false)
      expect(await edit('b', '$&')).toBe(true)
      expect(await edit('a', 'c', true)).toBe(true)
      expect(await backend.load()).toEqual({ 'm_a.md': 'c $& c' })
    })

    it('deletes, and says when there was nothing to delete', async () => {
      const { backend } = await make()
      await backend.apply({ op: 'write', name: 'm_a.md', content: 'x' })
      expect(await backend.apply({ op: 'delete', name: 'm_a.md' })).toBe(true)
      expect(await backend.apply({ op: 'delete', name: 'm_a.md' })).toBe(false)
      expect(await backend.load()).toEqual({})
    })

    it('keeps each of a hundred edits that two agents make at the same time', async () => {
      const { backend, open } = await make()
      const other = open()
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index};`)
      await backend.apply({ op: 'write', name: 'm_a.md', content: lines.join('\n') })
      const done = await Promise.all(
        lines.map((line, index) =>
          (index % 2 === 0 ? backend : other).apply({
            op: 'edit',
            name: 'm_a.md',
            old: line,
            new: `${line} done`,
            all: false,
          }),
        ),
      )
      expect(done.every(Boolean)).toBe(true)
      expect((await backend.load())['m_a.md']).toBe(lines.map((line) => `${line} done`).join('\n'))
    })

    it('makes one of two edits of the same text', async () => {
      const { backend, open } = await make()
      await backend.apply({ op: 'write', name: 'm_a.md', content: 'one' })
      const edits = [backend, open()].map((one, index) =>
        one.apply({ op: 'edit', name: 'm_a.md', old: 'one', new: `${index}`, all: false }),
      )
      expect((await Promise.all(edits)).filter(Boolean)).toEqual([true])
    })
  })
}
