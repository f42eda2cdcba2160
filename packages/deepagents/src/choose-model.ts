import { MODEL_PROVIDER_CONFIG } from 'langchain/chat_models/universal'
import { DeepAgentError } from './deep-agent-error.ts'

/** A chat model by name: which class of which package makes it, and how. */
export interface ModelChoice {
  readonly provider: string
  readonly model: string
  readonly package: string
  readonly className: string
  readonly settings: Readonly<Record<string, unknown>>
  /** One sentence for when it cannot be reached or does not exist: what to start, install or set. */
  readonly remedy: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The model that the environment asks for: `DEEPAGENTS_MODEL_PROVIDER`, by default Ollama. */
export function chooseDefaultModel(env: Environment): ModelChoice {
  const provider = env['DEEPAGENTS_MODEL_PROVIDER'] || 'ollama'
  if (provider === 'ollama') return ollama(env['OLLAMA_MODEL_NAME'] || 'llama3.1', env)
  if (provider === 'lm-studio') return lmStudio(env['LM_STUDIO_MODEL_NAME'] || 'local-model', env)
  throw new DeepAgentError('bad-model', `DEEPAGENTS_MODEL_PROVIDER is ${JSON.stringify(provider)}.`, {
    hint: 'Set it to "ollama" or "lm-studio", or give createDeepAgent a model.',
  })
}

/** The model that a string such as `"ollama:llama3.1"` or `"openai:gpt-5"` names. */
export function chooseNamedModel(name: string, env: Environment): ModelChoice {
  const colon = name.indexOf(':')
  const provider = name.slice(0, Math.max(colon, 0))
  const model = name.slice(colon + 1)
  if (provider === 'ollama' && model !== '') return ollama(model, env)
  if (provider === 'lm-studio' && model !== '') return lmStudio(model, env)
  const known = new Map(Object.entries(MODEL_PROVIDER_CONFIG)).get(provider)
  if (known === undefined || model === '') {
    const providers = ['lm-studio', ...Object.keys(MODEL_PROVIDER_CONFIG)].sort().join(', ')
    throw new DeepAgentError('bad-model', `${JSON.stringify(name)} does not name a model.`, {
      hint: `Write "provider:model" with one of these providers: ${providers}.`,
    })
  }
  return {
    provider,
    model,
    package: known.package,
    className: known.className,
    settings: { model },
    remedy: `Check the network, the name of the model, and the API key that ${known.package} reads.`,
  }
}

function ollama(model: string, env: Environment): ModelChoice {
  const baseUrl = ollamaUrl(env)
  return {
    provider: 'ollama',
    model,
    package: '@langchain/ollama',
    className: 'ChatOllama',
    settings: { model, baseUrl },
    remedy: `Start Ollama at ${baseUrl} and run "ollama pull ${model}", or set OLLAMA_BASE_URL, OLLAMA_MODEL_NAME or DEEPAGENTS_MODEL_PROVIDER=lm-studio.`,
  }
}

/** `OLLAMA_HOST` is what the server binds to: it may lack the scheme and may be the address of all interfaces. */
function ollamaUrl(env: Environment): string {
  const given = env['OLLAMA_BASE_URL'] || env['OLLAMA_HOST'] || 'http://127.0.0.1:11434'
  const url = addressOf(given)
  if (url === undefined) {
    throw new DeepAgentError('bad-model', `${JSON.stringify(given)} is not an address of Ollama.`, {
      hint: 'Set OLLAMA_BASE_URL to something like http://127.0.0.1:11434.',
    })
  }
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !given.includes('://')) url.port = '11434'
  return url.href.replace(/\/$/, '')
}

function lmStudio(model: string, env: Environment): ModelChoice {
  const given = env['LM_STUDIO_BASE_URL'] || 'http://127.0.0.1:1234/v1'
  const url = addressOf(given)
  if (url === undefined) {
    throw new DeepAgentError('bad-model', `${JSON.stringify(given)} is not an address of LM Studio.`, {
      hint: 'Set LM_STUDIO_BASE_URL to something like http://127.0.0.1:1234/v1.',
    })
  }
  if (url.pathname === '/') url.pathname = '/v1'
  const baseURL = url.href.replace(/\/$/, '')
  return {
    provider: 'lm-studio',
    model,
    package: '@langchain/openai',
    className: 'ChatOpenAI',
    settings: {
      model,
      apiKey: env['LM_STUDIO_API_KEY'] || 'lm-studio',
      configuration: { baseURL },
      // The endpoint speaks chat completions; some versions of it lack the newer responses API.
      useResponsesApi: false,
      streamUsage: true,
    },
    remedy: `Start the server of LM Studio at ${baseURL} with the model ${JSON.stringify(model)}, or set LM_STUDIO_BASE_URL, LM_STUDIO_MODEL_NAME or LM_STUDIO_API_KEY.`,
  }
}

/** The scheme and the host may be left out: `:11434` is a port of this machine. */
function addressOf(given: string): URL | undefined {
  const host = given.startsWith(':') ? `127.0.0.1${given}` : given
  const address = host.includes('://') ? host : `http://${host}`
  return URL.canParse(address) ? new URL(address) : undefined
}
