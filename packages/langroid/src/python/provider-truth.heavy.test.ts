import { LLMock } from '@copilotkit/aimock'
import { expect, test } from 'vitest'
import { LangroidAgent } from '../langroid-agent.ts'
import { realAgent, skipped, whyNoLangroid } from '../testing/real-python.ts'
import { bodyOf, recordedBodies } from '../testing/recorded-bodies.ts'
import { background, harness } from '../testing/run-source.ts'

test.skipIf(whyNoLangroid !== null)(
  `the record is what the provider received: an agent in Python, or it says that it is not${skipped}`,
  async () => {
    const bodies: object[] = []
    const server = new LLMock({ port: 0, host: '127.0.0.1' })
    server.on({ predicate: () => true }, (request) => {
      bodies.push(bodyOf(request))
      return bodies.length === 1
        ? { toolCalls: [{ name: 'get_weather', arguments: '{"location": "Paris"}', id: 'call_1' }] }
        : { content: 'It is 20 degrees.' }
    })
    await server.start()
    const agent = LangroidAgent(realAgent('scenario_app:build', { env: { MODEL_URL: `${server.url}/v1` } }))
    const { run, say } = harness(agent)
    const first = await run({ messages: [{ id: 'u1', role: 'user', content: 'how is Paris?' }] }, [
      background,
    ])
    const second = await run({ messages: [{ id: 'u2', role: 'user', content: 'thanks' }] }, [background])
    const third = await say('x'.repeat(5 * 1024 * 1024))
    await agent.close()
    await server.stop()
    expect(recordedBodies([...first, ...second, ...third])).toEqual(bodies.slice(0, 3))
    expect(bodies).toHaveLength(4)
    const warnings = third.flatMap((one) => (one.type === 'warning' ? [one.payload.code] : []))
    expect(warnings).toEqual(['input-missing'])
  },
)
