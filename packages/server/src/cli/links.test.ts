import { expect, test } from 'vitest'
import { linksOf } from './links.ts'

test.each([
  ['127.0.0.1', undefined, ['http://127.0.0.1:80']],
  ['::1', undefined, ['http://[::1]:80']],
  ['192.168.1.7', 'a b', ['http://192.168.1.7:80/#token=a%20b']],
  ['0.0.0.0', 's', ['http://127.0.0.1:80/#token=s', 'http://10.0.0.5:80/#token=s']],
  ['::', undefined, ['http://127.0.0.1:80', 'http://10.0.0.5:80']],
])('%s with token %s', (host, token, links) => {
  expect(linksOf({ host, port: 80 }, token, ['10.0.0.5'])).toEqual(links)
})
