import { createRequire } from 'node:module'

const manifest: { version: string } = createRequire(import.meta.url)('../package.json')

/** Of this package, as `GET /info` tells it. */
export const VERSION = manifest.version
