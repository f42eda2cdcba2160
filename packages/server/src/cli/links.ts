import { networkInterfaces } from 'node:os'

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Where a browser on this machine and on others finds the studio. A token goes behind the `#`, which no server is sent. */
export function linksOf(
  { host, port }: { readonly host: string; readonly port: number },
  token: string | undefined,
  addresses: readonly string[] = ownAddresses(),
): readonly string[] {
  const hosts = EVERYWHERE.has(host) ? ['127.0.0.1', ...addresses] : [host]
  const hash = token === undefined ? '' : `/#token=${encodeURIComponent(token)}`
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}${hash}`)
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
}
