import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Runnable } from '@langchain/core/runnables'
import { StateSchema, type BaseCheckpointSaver, type BaseStore } from '@langchain/langgraph'
import type { AgentMiddleware } from 'langchain'
import { BASE_PROMPT, composePrompt } from './base-prompt.ts'
import {
  buildAgent,
  checkNames,
  chooseModel,
  type Member,
  type OwnContext,
  type OwnState,
} from './build-agent.ts'
import { builtInTools } from './built-in-tools.ts'
import { checkApprovals } from './check-approvals.ts'
import { checkOptions } from './check-options.ts'
import { executeTool } from './execute-tool.ts'
import type { FileBackend } from './file-backend.ts'
import type { DeepAgent } from './deep-agent.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import type { Sandbox } from './sandbox.ts'
import { describeSkills, findSkills, readSkillTool } from './skills.ts'
import type { SummariseOptions } from './summarise.ts'
import type { AgentTool, AnySubAgent, InterruptOn, ResponseFormat } from './sub-agent.ts'

/** What the agent is for, its model, its tools and its sub-agents. */
export interface DeepAgentOptions<
  State extends OwnState | undefined = OwnState | undefined,
  Context extends OwnContext | undefined = OwnContext | undefined,
  Middleware extends readonly AgentMiddleware[] = readonly AgentMiddleware[],
  Format extends ResponseFormat = ResponseFormat,
> {
  /** Your tools. The built-in ones (plan, files, `task`) come by themselves. */
  readonly tools?: readonly AgentTool[]
  /** What this agent is for. The base prompt follows it. */
  readonly instructions: string
  /** A LangChain chat model or `"provider:model"`. Left out: what the environment says, by default Ollama. */
  readonly model?: string | BaseChatModel
  /** Specialists. One named `general-purpose` takes the place of the built-in one. */
  readonly subagents?: readonly AnySubAgent[]
  /** State of your own beside `messages`, `todos` and `files`. */
  readonly stateSchema?: State
  readonly contextSchema?: Context
  readonly checkpointer?: BaseCheckpointSaver | boolean
  readonly store?: BaseStore
  /** Which tools wait for a human, in sub-agents too. */
  readonly interruptOn?: InterruptOn
  /** LangChain middlewares (retries, limits, summarisation …) of the main agent and of `general-purpose`. */
  readonly middleware?: Middleware
  /** Middlewares of all sub-agents, at every depth, before their own. */
  readonly subagentMiddleware?: readonly AgentMiddleware[]
  readonly responseFormat?: Format
  /** Where files are kept that outlive a conversation, on disk or in a store. Left out: all files are in the state. */
  readonly backend?: FileBackend
  /** Where the tool `execute` runs commands. Left out: there is no such tool. */
  readonly sandbox?: Sandbox
  /** Patterns of files that no built-in tool may change, such as `AGENTS.md` or `rules_*`. */
  readonly readOnly?: readonly string[]
  /** Directories of skills: folders with a `SKILL.md`. Named in the prompt, read on demand with `read_skill`. */
  readonly skills?: readonly string[]
  /** Files on disk, such as `AGENTS.md`, whose content is in the system prompt of every model call. */
  readonly memory?: readonly string[]
  /** Name of the graph and of the agent. Default `deep-agent`. */
  readonly name?: string
  /** Supersteps that a run, and each sub-agent in it, may take. Default 1000. */
  readonly recursionLimit?: number
  /** Takes the place of the base prompt. */
  readonly basePrompt?: string
  /** How deep sub-agents of sub-agents may be nested. Default 3. */
  readonly maxDepth?: number
  /** Characters that all files together may hold. Default 10 million. */
  readonly maxFilesSize?: number
  /** Characters that one `read_file` shows. Default 80,000. */
  readonly maxReadLength?: number
  /** Characters of a tool's result above which it goes to a file and the model sees its beginning. Default 40,000. */
  readonly maxResultLength?: number
  /** When conversations are summarised, in sub-agents too; false: never. Default at 0.85 of the model's context. */
  readonly summarise?: SummariseOptions | false
}

/**
 * An agent that plans, keeps files and delegates, as a compiled LangGraph graph: invoke it, stream it, give it a
 * checkpointer, serve it. Mistakes in the options are thrown here; a model is first asked when the graph runs.
 */
export function createDeepAgent<
  State extends OwnState | undefined = undefined,
  Context extends OwnContext | undefined = undefined,
  const Middleware extends readonly AgentMiddleware[] = readonly [],
  Format extends ResponseFormat = undefined,
>(
  options: DeepAgentOptions<State, Context, Middleware, Format>,
): DeepAgent<State, Context, Middleware, Format>
export function createDeepAgent(options: DeepAgentOptions): Runnable {
  checkOptions(options)
  const { stateSchema, contextSchema, checkpointer, store, responseFormat } = options
  const skills = findSkills(options.skills ?? [])
  const member: Member = {
    name: options.name ?? 'deep-agent',
    prompt: composePrompt(
      options.instructions,
      options.basePrompt ?? BASE_PROMPT,
      ...(skills.length > 0 ? [describeSkills(skills)] : []),
    ),
    instructions: options.instructions,
    tools: [
      ...(options.tools ?? []),
      ...(skills.length > 0 ? [readSkillTool(skills)] : []),
      ...(options.sandbox === undefined ? [] : [executeTool(options.sandbox)]),
      ...builtInTools(
        {
          maxFilesSize: options.maxFilesSize ?? 10_000_000,
          maxReadLength: options.maxReadLength ?? 80_000,
          readOnly: options.readOnly ?? [],
        },
        options.backend,
      ),
    ],
    model: chooseModel(options.model),
    subagents: options.subagents ?? [],
    interruptOn: options.interruptOn ?? {},
    middleware: options.middleware ?? [],
    depth: 0,
    delegates: true,
  }
  checkNames(member)
  checkApprovals(member, member.tools, options.subagentMiddleware ?? [])
  checkLimits(options)
  const family = {
    recursionLimit: options.recursionLimit ?? 1000,
    maxDepth: options.maxDepth ?? 3,
    maxResultLength: options.maxResultLength ?? 40_000,
    summarise: options.summarise ?? {},
    subagentMiddleware: options.subagentMiddleware ?? [],
    skills,
    memory: options.memory ?? [],
    passOn: ownKeys(stateSchema),
    ...(options.backend !== undefined && { backend: options.backend }),
    ...(stateSchema !== undefined && { stateSchema }),
    ...(contextSchema !== undefined && { contextSchema }),
  }
  return buildAgent(member, family, {
    ...(checkpointer !== undefined && { checkpointer }),
    ...(store !== undefined && { store }),
    ...(responseFormat !== undefined && { responseFormat }),
  })
}

function checkLimits({
  recursionLimit = 1,
  maxDepth = 1,
  maxFilesSize = 1,
  maxReadLength = 1,
  maxResultLength = 1,
}: DeepAgentOptions): void {
  for (const [name, limit] of Object.entries({
    recursionLimit,
    maxDepth,
    maxFilesSize,
    maxReadLength,
    maxResultLength,
  })) {
    if (limit >= 1) continue
    throw new DeepAgentError('bad-agent', `${name} is ${limit}.`, { hint: 'Set it to 1 or more.' })
  }
}

const TAKEN = ['messages', 'todos', 'files', '_fileOperations']

function ownKeys(schema: OwnState | undefined): string[] {
  if (schema === undefined) return []
  const keys = StateSchema.isInstance(schema) ? schema.getAllKeys() : Object.keys(schema.shape)
  const taken = keys.find((key) => TAKEN.includes(key))
  if (taken === undefined) return keys
  throw new DeepAgentError('bad-agent', `stateSchema defines ${JSON.stringify(taken)}.`, {
    hint: 'That name belongs to the deep agent; choose another one.',
  })
}
