import { expect, test } from 'vitest'
import { withoutPaths } from './without-paths.ts'

test.each([
  ['spawn /srv/app/.venv/bin/python ENOENT', 'spawn …/python ENOENT'],
  ["[Errno 2] No such file: '/home/me/notes.txt'", "[Errno 2] No such file: '…/notes.txt'"],
  ['C:\\Users\\me\\python.exe is 2.7', '…/python.exe is 2.7'],
  ['at http://127.0.0.1:8080/v1/chat/completions', 'at http://127.0.0.1:8080/v1/chat/completions'],
  ['2 and/or 3, 1/2', '2 and/or 3, 1/2'],
])('a client sees no folders of the server: %s', (message, shown) => {
  expect(withoutPaths(message)).toBe(shown)
})
