import { AIMessage, BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { isGraphBubbleUp, type Command } from '@langchain/langgraph'
import { z } from 'zod'
import { seatBelow, seatOf, takeSeat, type AgentRuntime, type FileState } from './agent-runtime.ts'
import { answer } from './answer.ts'
import { changesOf } from './change-file.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import type { FileBackend } from './file-backend.ts'
import type { Files } from './file-operation.ts'
import { takeFiles } from './take-files.ts'
import { allowManyListeners } from './tend-nodes.ts'

/** A sub-agent, ready to run. */
export interface Specialist {
  readonly name: string
  readonly description: string
  run(input: SpecialistInput, config: RunnableConfig): Promise<SpecialistResult>
}

interface SpecialistInput {
  readonly messages: BaseMessage[]
  readonly files: Files
  readonly [key: string]: unknown
}

interface SpecialistResult extends FileState {
  readonly messages: readonly BaseMessage[]
  readonly structuredResponse?: unknown
}

const resultSchema = z.object({
  messages: z.array(z.custom<BaseMessage>((value) => BaseMessage.isInstance(value))),
  files: z.record(z.string(), z.string()).optional(),
  structuredResponse: z.unknown().optional(),
})

/** What a graph of the user's returned. Files that are no texts by name are its own business. */
export function resultOf(name: string, returned: unknown): SpecialistResult {
  const { data } = resultSchema.safeParse(returned)
  if (data !== undefined) return data
  const { data: withoutFiles } = resultSchema.omit({ files: true }).safeParse(returned)
  if (withoutFiles !== undefined) return withoutFiles
  throw new DeepAgentError('bad-agent', `The sub-agent ${name} returned no messages.`, {
    hint: 'Its runnable must return { messages }, as a graph with messages in its state does.',
  })
}

/** The tool that hands a task to one of the specialists. `passOn` names the user's own state that they get to see. */
export function taskTool(
  specialists: readonly Specialist[],
  options: { recursionLimit: number; passOn: readonly string[]; backend?: FileBackend },
) {
  const byName = new Map(specialists.map((specialist) => [specialist.name, specialist]))

  async function run(description: string, type: string, runtime: AgentRuntime): Promise<Command> {
    const specialist = byName.get(type)
    if (specialist === undefined) {
      const text = `There is no sub-agent ${JSON.stringify(type)}. Choose one of: ${[...byName.keys()].join(', ')}.`
      return answer(runtime, { tool: 'task', text, failed: true })
    }
    const seat = await seatOf(runtime, options.backend)
    const below = seatBelow(seat, runtime.toolCallId)
    const state: Record<string, unknown> = runtime.state
    const input: SpecialistInput = {
      ...Object.fromEntries(options.passOn.map((key) => [key, state[key]])),
      messages: [new HumanMessage(description)],
      files: seat.workspace.stateFiles(),
    }
    const config = {
      ...inherited(runtime),
      recursionLimit: runtime.config.recursionLimit ?? options.recursionLimit,
      runName: specialist.name,
      metadata: { ...runtime.metadata, lc_agent_name: specialist.name },
      configurable: { ...runtime.configurable, ...below.configurable },
    }
    const finish = (text: string, failed: boolean, artifact?: unknown): Command => {
      const operations = seat.workspace.operationsOf(below.owner)
      const touched = new Set(operations.map((operation) => operation.name))
      const changes = operations.length === 0 ? {} : changesOf(seat, operations, touched)
      return answer(runtime, { tool: 'task', text, failed, changes, artifact })
    }
    try {
      const result = await specialist.run(input, config)
      // One that had finished when the process died is not run again: its work is taken from its last state.
      takeSeat(below.configurable, result)
      if (result._fileOperations === undefined)
        await takeFiles(seat.workspace, below.owner, input.files, result.files)
      const { structuredResponse } = result
      return structuredResponse === undefined
        ? finish(finalText(result.messages), false)
        : finish(JSON.stringify(structuredResponse), false, structuredResponse)
    } catch (error) {
      // Pauses, hand-overs and cancellation belong to the run; only a failure belongs to the answer.
      if (isGraphBubbleUp(error) || runtime.signal?.aborted === true) throw error
      const reason = error instanceof Error ? error.message : String(error)
      return finish(`The sub-agent ${type} failed: ${reason}`, true)
    }
  }

  return tool(
    ({ description, subagent_type }, runtime: AgentRuntime) => run(description, subagent_type, runtime),
    {
      name: 'task',
      description: describe(specialists),
      schema: z.object({
        description: z.string().min(1).describe('The whole task: goal, facts, files, and what to answer'),
        subagent_type: z.string().describe('Which sub-agent'),
      }),
    },
  )
}

function describe(specialists: readonly Specialist[]): string {
  const list = specialists.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return `Hand a task to a sub-agent. It works alone, with an empty conversation and the same files, and returns one answer. Several calls in one turn run in parallel.

Sub-agents:
${list}`
}

/**
 * What of the call's configuration the sub-agent takes over: who watches, how to stop, where its state is kept. Not the
 * `RunControl`: a sub-agent that drains by itself is committed as done, without its work (LangGraph 1.4.18).
 */
function inherited(runtime: AgentRuntime): RunnableConfig {
  const { callbacks, signal, context, store, writer } = runtime
  allowManyListeners(runtime)
  return {
    ...(callbacks !== undefined && { callbacks }),
    ...(signal !== undefined && { signal }),
    ...Object.fromEntries(Object.entries({ context, store, writer }).filter(([, value]) => value != null)),
  }
}

function finalText(messages: readonly BaseMessage[]): string {
  const last = messages.findLast((message) => AIMessage.isInstance(message) && message.text.trim() !== '')
  return last?.text ?? 'The sub-agent finished without an answer.'
}
