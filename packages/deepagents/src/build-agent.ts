import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { SystemMessage } from '@langchain/core/messages'
import type { AnyStateSchema, BaseCheckpointSaver, BaseStore } from '@langchain/langgraph'
import {
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  type AgentMiddleware,
  type AnyAnnotationRoot,
} from 'langchain'
import type { z } from 'zod'
import { composePrompt, subAgentPrompt } from './base-prompt.ts'
import { toolName } from './built-in-tools.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import { deepAgentState, subAgentState } from './deep-agent-state.ts'
import type { FileBackend } from './file-backend.ts'
import { guardCalls } from './guard-calls.ts'
import { resolveModel } from './resolve-model.ts'
import type {
  AgentTool,
  AnySubAgent,
  CompiledSubAgent,
  InterruptOn,
  ResponseFormat,
  SubAgent,
} from './sub-agent.ts'
import { describeSkills, type Skill } from './skills.ts'
import type { SummariseOptions } from './summarise.ts'
import { takeOverHookWrites } from './take-over-writes.ts'
import { takeUpWork } from './take-up-work.ts'
import { tendNodes } from './tend-nodes.ts'
import { resultOf, taskTool, type Specialist } from './task-tool.ts'

/** State of your own: `new StateSchema({…})` or a zod object. */
export type OwnState = AnyStateSchema | z.ZodObject

/** What a run is given beside its input: a zod object, or an annotation. */
export type OwnContext = AnyAnnotationRoot | z.ZodObject

/** What all agents of one tree have in common. */
export interface Family {
  readonly recursionLimit: number
  readonly maxDepth: number
  readonly maxResultLength: number
  readonly summarise: SummariseOptions | false
  readonly subagentMiddleware: readonly AgentMiddleware[]
  readonly backend?: FileBackend
  readonly skills: readonly Skill[]
  readonly memory: readonly string[]
  readonly stateSchema?: OwnState
  readonly contextSchema?: OwnContext
  /** Names of the user's own state, which sub-agents get to see. */
  readonly passOn: readonly string[]
}

/** How a model was asked for, so that it can be asked for again with other settings, and the model itself. */
export interface ChosenModel {
  readonly given: string | BaseChatModel | undefined
  readonly settings: Readonly<Record<string, unknown>>
  readonly resolved: BaseChatModel
}

/** One agent of the tree. */
export interface Member {
  readonly name: string
  /** The whole system prompt. */
  readonly prompt: string
  /** The prompt before the base prompt was added: what `general-purpose` inherits. */
  readonly instructions: string
  /** All of its tools but `task`. */
  readonly tools: readonly AgentTool[]
  readonly model: ChosenModel
  readonly subagents: readonly AnySubAgent[]
  readonly interruptOn: InterruptOn
  readonly middleware: readonly AgentMiddleware[]
  /** 0 for the main agent. */
  readonly depth: number
  /** Whether it can hand out tasks. */
  readonly delegates: boolean
}

/** What only the main agent has. */
export interface MainOptions {
  readonly checkpointer?: BaseCheckpointSaver | boolean
  readonly store?: BaseStore
  readonly responseFormat?: ResponseFormat
}

const mainState = createMiddleware({ name: 'DeepAgentState', stateSchema: deepAgentState })
const belowState = createMiddleware({ name: 'DeepAgentState', stateSchema: subAgentState })

/** The main agent's graph, with all the agents below it built and checked. */
export function buildAgent(member: Member, family: Family, options: MainOptions) {
  const tools = member.delegates ? [...member.tools, delegate(member, family)] : [...member.tools]
  const agent = createAgent({
    ...common(member, family),
    ...options,
    tools,
    middleware: [mainState, ...middlewareOf(member, family)],
  })
  const { graph } = agent.withConfig({ recursionLimit: family.recursionLimit })
  tendNodes(graph.nodes)
  return graph
}

function common(member: Member, family: Family) {
  const { stateSchema, contextSchema } = family
  return {
    name: member.name,
    model: member.model.resolved,
    // As a string it would be sent as content blocks, which not every local server understands.
    systemPrompt: new SystemMessage(member.prompt),
    ...(stateSchema !== undefined && { stateSchema }),
    ...(contextSchema !== undefined && { contextSchema }),
  }
}

/** The first is the outermost. One of the user's takes the place of ours of the same purpose. */
function middlewareOf(
  member: Member,
  { maxResultLength, summarise, backend, memory }: Family,
): AgentMiddleware[] {
  const summarises = member.middleware.some(({ name }) => name === 'SummarizationMiddleware')
  const asks = Object.values(member.interruptOn).some((config) => config !== false)
  return [
    guardCalls({
      name: member.name,
      isSubAgent: member.depth > 0,
      backend,
      memory,
      model: member.model.resolved,
      maxResultLength,
      summarise: summarises ? false : summarise,
    }),
    ...member.middleware,
    ...(asks ? [approval(member.interruptOn)] : []),
  ]
}

/** Its parameter has the type `never` under `exactOptionalPropertyTypes` (langchain 1.5.14). */
function approval(interruptOn: InterruptOn): AgentMiddleware {
  const middleware: AgentMiddleware = Reflect.apply(humanInTheLoopMiddleware, undefined, [{ interruptOn }])
  return middleware
}

function delegate(member: Member, family: Family) {
  const general: SubAgent = {
    name: 'general-purpose',
    description:
      'Has the same instructions and tools as you. For work of several steps whose details you do not need to see.',
    prompt: member.instructions,
    middleware: member.middleware,
  }
  const isReplaced = member.subagents.some(({ name }) => name === general.name)
  const specs = isReplaced ? member.subagents : [general, ...member.subagents]
  const specialists = specs.map((spec) =>
    'runnable' in spec ? compiledSpecialist(spec) : specialist(spec, member, family),
  )
  return taskTool(specialists, family)
}

function specialist(spec: SubAgent, parent: Member, family: Family): Specialist {
  const depth = parent.depth + 1
  if (depth > family.maxDepth) {
    throw new DeepAgentError('bad-agent', `The sub-agent ${spec.name} is nested ${depth} levels deep.`, {
      hint: `The limit is ${family.maxDepth}: raise maxDepth or flatten the sub-agents.`,
    })
  }
  const subagents = spec.subagents ?? []
  const tools = pickTools(spec, parent.tools)
  const names = new Set(tools.map(toolName))
  const skills = family.skills.length > 0 && names.has('read_skill') ? [describeSkills(family.skills)] : []
  const member: Member = {
    name: spec.name,
    prompt: composePrompt(spec.prompt, subAgentPrompt(names), ...skills),
    instructions: spec.prompt,
    tools,
    model: modelFor(spec, parent),
    subagents,
    interruptOn: { ...parent.interruptOn, ...spec.interruptOn },
    middleware: withOwn(family.subagentMiddleware, spec.middleware ?? []).map(takeOverHookWrites),
    depth,
    delegates: subagents.length > 0,
  }
  checkNames(member)
  const agent = createAgent({
    ...common(member, family),
    tools: member.delegates ? [...tools, delegate(member, family)] : [...tools],
    ...(spec.responseFormat !== undefined && { responseFormat: spec.responseFormat }),
    middleware: [belowState, takeUpWork, ...middlewareOf(member, family)],
  })
  tendNodes(agent.graph.nodes)
  // Its private log of operations, too: after a crash it is all that a sub-agent which had finished says again.
  const outputKeys = [...[agent.graph.outputChannels].flat(), '_fileOperations'] as const
  return {
    name: spec.name,
    description: spec.description,
    run: (input, config) => agent.graph.invoke(input, { ...config, outputKeys }),
  }
}

/** One of a sub-agent's own takes the place of one for all of the same name. */
function withOwn(
  ofAll: readonly AgentMiddleware[],
  own: readonly AgentMiddleware[],
): readonly AgentMiddleware[] {
  const names = new Set(own.map(({ name }) => name))
  return [...ofAll.filter(({ name }) => !names.has(name)), ...own]
}

function compiledSpecialist({ name, description, runnable }: CompiledSubAgent): Specialist {
  return {
    name,
    description,
    run: async (input, config) => resultOf(name, await runnable.invoke(input, config)),
  }
}

function modelFor(spec: SubAgent, { model: above }: Member): ChosenModel {
  if (spec.model === undefined && spec.modelSettings === undefined) return above
  if (spec.model !== undefined) return chooseModel(spec.model, spec.modelSettings)
  return chooseModel(above.given, { ...above.settings, ...spec.modelSettings })
}

export function chooseModel(
  given: ChosenModel['given'],
  settings: ChosenModel['settings'] = {},
): ChosenModel {
  return { given, settings, resolved: resolveModel(given, settings) }
}

function pickTools(spec: SubAgent, available: readonly AgentTool[]): readonly AgentTool[] {
  if (spec.tools === undefined) return available
  return spec.tools.map((wanted) => {
    if (typeof wanted !== 'string') return wanted
    const found = available.find((tool) => toolName(tool) === wanted)
    if (found !== undefined) return found
    throw new DeepAgentError(
      'bad-agent',
      `The sub-agent ${spec.name} wants the tool ${JSON.stringify(wanted)}.`,
      {
        hint: `There are: ${available.map(toolName).join(', ')}. Or give the tool itself.`,
      },
    )
  })
}

/** Two tools or two sub-agents of one name would hide each other. */
export function checkNames(member: Member): void {
  const tools = member.tools.map(toolName).filter((name) => name !== '')
  const agents = member.subagents.map((spec) => spec.name)
  const taken = member.delegates ? ['task', ...tools] : tools
  const twice = taken.find((name, index) => taken.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new DeepAgentError('bad-agent', `${member.name} has two tools named ${JSON.stringify(twice)}.`, {
      hint: 'Rename yours; the names of the built-in tools are taken.',
    })
  }
  const again = agents.find((name, index) => name === '' || agents.indexOf(name) !== index)
  if (again !== undefined) {
    throw new DeepAgentError(
      'bad-agent',
      `${member.name} has two sub-agents named ${JSON.stringify(again)}.`,
      {
        hint: 'Each needs a name of its own.',
      },
    )
  }
}
