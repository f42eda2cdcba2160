import { fileURLToPath } from 'node:url'
import { LangroidAgent, OpenAIModel, PythonAgent } from '@clewline/langroid'
import type { Feature } from './feature.ts'
import { features } from './features.ts'
import { startOfflineModel } from './offline-model.ts'

export interface ExampleAgentOptions {
  readonly backend?: 'native' | 'python'
  /** A real model's name; without it a scripted one answers. */
  readonly model?: string
  /** Of an OpenAI-compatible server. */
  readonly baseUrl?: string
  readonly apiKey?: string
  /** The Python that has Langroid. */
  readonly python?: string
}

export interface ExampleAgents {
  /** By the name of their feature. */
  readonly agents: Readonly<Record<string, LangroidAgent>>
  close(): Promise<void>
}

/** One agent per feature, and the scripted model that they ask when no real one is named. */
export async function startExampleAgents(options: ExampleAgentOptions = {}): Promise<ExampleAgents> {
  const { backend = 'native', model = 'gpt-4o' } = options
  const offline = options.model === undefined ? await startOfflineModel() : undefined
  const baseUrl = offline?.baseUrl ?? options.baseUrl ?? 'https://api.openai.com/v1'
  const apiKey = options.apiKey ?? 'none'

  function agentOf(feature: Feature): LangroidAgent {
    const config = { ...feature.config, name: feature.name }
    if (backend === 'native') {
      return LangroidAgent(feature.native(OpenAIModel({ model, baseUrl, apiKey })), config)
    }
    const python = PythonAgent({
      app: feature.python,
      cwd: fileURLToPath(new URL('../python', import.meta.url)),
      env: { MODEL_URL: baseUrl, MODEL_NAME: model, MODEL_KEY: apiKey },
      onStderr: (text) => process.stderr.write(text),
      ...(options.python === undefined ? {} : { python: options.python }),
    })
    return LangroidAgent(python, config)
  }

  const agents = Object.fromEntries(features.map((feature) => [feature.name, agentOf(feature)]))
  return {
    agents,
    async close() {
      await Promise.all(Object.values(agents).map((agent) => agent.close()))
      await offline?.stop()
    },
  }
}
