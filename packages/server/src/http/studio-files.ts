import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** The studio loads nothing from elsewhere, and what an agent writes must not become code in it. */
const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; font-src 'self' data:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Where the built studio is, if it is installed. */
export function studioFolder(): string | null {
  try {
    return fileURLToPath(new URL('../app-dist/', import.meta.resolve('@clewline/studio/assets')))
  } catch {
    return null
  }
}

/** A file of the studio; its page for any other path without an extension, because the page routes itself. */
export async function studioFile(folder: string, path: string): Promise<Response | null> {
  const wanted = decoded(path)
  if (wanted === null || wanted.split(sep).includes('..')) return null
  const extension = extname(wanted)
  const name = extension === '' ? 'index.html' : wanted
  const bytes = await readFile(join(folder, name)).catch(() => null)
  if (bytes === null) return null
  const isHashed = name.startsWith(`assets${sep}`)
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
}

function decoded(path: string): string | null {
  try {
    return normalize(decodeURIComponent(path)).replace(/^[/\\]+/, '')
  } catch {
    return null
  }
}
