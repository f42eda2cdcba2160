import { DeepAgentError } from './deep-agent-error.ts'
import type { DeepAgentOptions } from './create-deep-agent.ts'
import type { CompiledSubAgent, SubAgent } from './sub-agent.ts'

const OPTIONS: Readonly<Record<keyof DeepAgentOptions, true>> = {
  tools: true,
  instructions: true,
  model: true,
  subagents: true,
  stateSchema: true,
  contextSchema: true,
  checkpointer: true,
  store: true,
  interruptOn: true,
  middleware: true,
  responseFormat: true,
  name: true,
  recursionLimit: true,
  basePrompt: true,
  maxDepth: true,
  maxFilesSize: true,
  maxReadLength: true,
  maxResultLength: true,
  summarise: true,
  subagentMiddleware: true,
  backend: true,
  sandbox: true,
  readOnly: true,
  skills: true,
  memory: true,
}

const SUBAGENT_OPTIONS: Readonly<Record<keyof SubAgent, true>> = {
  name: true,
  description: true,
  prompt: true,
  tools: true,
  model: true,
  modelSettings: true,
  subagents: true,
  interruptOn: true,
  middleware: true,
  responseFormat: true,
}

const COMPILED_OPTIONS: Readonly<Record<keyof CompiledSubAgent, true>> = {
  name: true,
  description: true,
  runnable: true,
}

/** Says in a sentence what the compiler would have said: the options may come from plain JavaScript. */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw mistake('createDeepAgent needs options.', 'Give it { instructions, … }.')
  checkKeys('createDeepAgent', options, OPTIONS)
  checkText('createDeepAgent', options, 'instructions', 'Say what the agent is for; it may be empty.')
  checkParts('createDeepAgent', options)
}

function checkSubAgent(spec: unknown, index: number): void {
  const where = `subagents[${index}]`
  if (!isRecord(spec)) throw mistake(`${where} is ${kindOf(spec)}.`, 'Give { name, description, prompt }.')
  const name = typeof spec['name'] === 'string' ? `the sub-agent ${spec['name']}` : where
  const isCompiled = 'runnable' in spec
  checkKeys(name, spec, isCompiled ? COMPILED_OPTIONS : SUBAGENT_OPTIONS)
  for (const key of isCompiled ? ['name', 'description'] : ['name', 'description', 'prompt']) {
    checkText(name, spec, key, 'A sub-agent is { name, description, prompt } at least.')
  }
  if (isCompiled && !isInvokable(spec['runnable']))
    throw mistake(`runnable of ${name} is ${kindOf(spec['runnable'])}.`, 'Give a compiled graph.')
  checkParts(name, spec)
}

function checkParts(where: string, options: Readonly<Record<string, unknown>>): void {
  const { tools, subagents, middleware, subagentMiddleware, readOnly, skills, memory, model } = options
  for (const [key, list] of Object.entries({
    tools,
    subagents,
    middleware,
    subagentMiddleware,
    readOnly,
    skills,
    memory,
  })) {
    if (list !== undefined && !Array.isArray(list))
      throw mistake(`${key} of ${where} is ${kindOf(list)}.`, 'Give an array.')
  }
  if (Array.isArray(tools)) for (const [index, tool] of tools.entries()) checkTool(where, tool, index)
  if (Array.isArray(subagents)) for (const [index, spec] of subagents.entries()) checkSubAgent(spec, index)
  if (model !== undefined && typeof model !== 'string' && !isInvokable(model)) {
    throw mistake(
      `model of ${where} is ${kindOf(model)}.`,
      'Give a LangChain chat model or "provider:model".',
    )
  }
}

function checkTool(where: string, tool: unknown, index: number): void {
  if (typeof tool === 'function') {
    throw mistake(
      `tools[${index}] of ${where} is a bare function, which says nothing of its arguments.`,
      'Make a tool of it: tool(fn, { name, description, schema }) from "langchain".',
    )
  }
  if (!isRecord(tool) && typeof tool !== 'string')
    throw mistake(`tools[${index}] of ${where} is ${kindOf(tool)}.`, 'Give a LangChain tool.')
}

function checkKeys(
  where: string,
  options: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  throw mistake(
    `${where} has no option ${JSON.stringify(unknown)}.`,
    `There are: ${Object.keys(known).join(', ')}.`,
  )
}

function checkText(
  where: string,
  options: Readonly<Record<string, unknown>>,
  key: string,
  hint: string,
): void {
  const value = options[key]
  if (value === undefined) throw mistake(`${where} has no ${key}.`, hint)
  if (typeof value !== 'string') throw mistake(`${key} of ${where} is ${kindOf(value)}.`, 'Give a text.')
}

function mistake(message: string, hint: string): DeepAgentError {
  return new DeepAgentError('bad-agent', message.replace(/^the /, 'The '), { hint })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isInvokable(value: unknown): boolean {
  return isRecord(value) && typeof value['invoke'] === 'function'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
