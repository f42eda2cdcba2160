import type { Client } from '@langchain/langgraph-sdk'

/** The client, with a signal on the one request that upstream makes without and that may take minutes. */
export function abortable(client: Client, signal: AbortSignal): Client {
  const assistants = new Proxy(client.assistants, {
    get(target, key) {
      if (key === 'getSchemas') return (id: string) => target.getSchemas(id, { signal })
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return new Proxy(client, {
    get: (target, key) => (key === 'assistants' ? assistants : Reflect.get(target, key, target)),
  })
}
