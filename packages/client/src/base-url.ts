import { ClewlineError } from '@clewline/core'

/** A server's URL without the slash at its end; empty for that of the page. Refuses what no request could be sent to. */
export function baseUrl(url = ''): string {
  const isOfPage = url === '' || url.startsWith('/')
  if (isOfPage || /^https?:\/\/[^/]/i.test(url)) return url.replace(/\/+$/, '')
  throw new ClewlineError('bad-request', `"${url}" is not the URL of a server.`, {
    hint: 'Write it with its scheme: http://127.0.0.1:8123.',
  })
}

/** Only a page has an origin that a path can be resolved against. */
export function noUrl(): ClewlineError {
  return new ClewlineError('bad-request', 'There is no URL to send the request to.', {
    hint: 'Say where the server is: createClient({ url }).',
  })
}
