/** Microseconds of CPU that the servers have taken so far. */
export async function cpuOf(servers) {
  const all = await Promise.all(servers.map((server) => server.cpu()))
  return all.reduce((sum, one) => sum + one, 0)
}

/** The best of some rounds, in turns, so that whatever else the machine does hits everyone: what it can show. */
export async function best(contenders, tokens, rounds) {
  const found = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, { servers, run }] of Object.entries(contenders)) {
      const before = await cpuOf(servers)
      const result = await run()
      const cpu = ((await cpuOf(servers)) - before) / tokens
      // From the first token on: CopilotKit's LangGraph agent waits for a schema first, which is not about streaming.
      const rate = (tokens / (result.ms - (result.first ?? 0))) * 1000
      found[name] = {
        rate: Math.max(rate, found[name]?.rate ?? 0),
        cpu: Math.min(cpu, found[name]?.cpu ?? Infinity),
        bytes: result.bytes / tokens,
      }
    }
  }
  return found
}
