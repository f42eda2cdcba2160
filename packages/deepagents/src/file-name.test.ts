import { expect, it } from 'vitest'
import { refuseFileName } from './file-name.ts'

it.each([
  'notes.md',
  'a',
  'Ünïcode 名前.txt',
  '👩‍🔬 notes.md',
  '.hidden',
  'constructor',
  'toString',
  'a.b.c',
  'x'.repeat(200),
])('takes %j as a name', (name) => {
  expect(refuseFileName(name)).toBeUndefined()
})

it.each([
  ['', 'needs a name'],
  ['  ', 'needs a name'],
  ['a/b.md', 'Use a flat name such as "b.md"'],
  ['/etc/passwd', 'Use a flat name such as "passwd"'],
  ['..\\x.md', 'is a path'],
  ['../', 'is a path'],
  ['a..b', 'contains ".."'],
  ['a\u0000b', 'control characters'],
  ['a\nb', 'control characters'],
  ['a\u2028b', 'control characters'],
  ['\u202egpj.exe', 'control characters'],
  ['half \ud83d', 'control characters'],
  ['__proto__', 'reserved'],
  ['x'.repeat(201), '201 characters'],
])('refuses %j', (name, reason) => {
  expect(refuseFileName(name)).toContain(reason)
})
