/** Folder of the built single-page app, as a `file:` URL with a trailing slash. The server serves it at `/`. */
export const assets: URL = new URL('../app-dist/', import.meta.url)
