/** How often a server sends a comment when it has nothing to say, so that proxies and readers know the connection is alive. */
export const HEARTBEAT_MS = 15_000
