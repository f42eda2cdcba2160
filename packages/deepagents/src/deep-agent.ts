import type { BaseMessage } from '@langchain/core/messages'
import type { InferInteropZodOutput, InteropZodType } from '@langchain/core/utils/types'
import type { Command, CompiledGraph, Messages } from '@langchain/langgraph'
import type {
  AgentMiddleware,
  InferContextInput,
  InferMiddlewareInputStates,
  InferMiddlewareStates,
  InferSchemaInput,
  InferSchemaValue,
  ProviderStrategy,
  ToolStrategy,
  TypedToolStrategy,
} from 'langchain'
import type { OwnContext, OwnState } from './build-agent.ts'
import type { Todo } from './deep-agent-state.ts'
import type { Files } from './file-operation.ts'
import type { FilesUpdate } from './files-reducer.ts'

/** What a structured response is, by the format that was asked for. */
type ResponseOf<Format> =
  Format extends TypedToolStrategy<infer Response>
    ? Response
    : Format extends ToolStrategy<infer Response>
      ? Response
      : Format extends ProviderStrategy<infer Response>
        ? Response
        : Format extends InteropZodType
          ? InferInteropZodOutput<Format>
          : Format extends readonly InteropZodType[]
            ? InferInteropZodOutput<Format[number]>
            : Record<string, unknown>

/** What a run ends with: the channels of every deep agent, those of the user, and those of the middlewares. */
export type DeepAgentOutput<
  State extends OwnState | undefined,
  Middleware extends readonly AgentMiddleware[],
  Format,
> = { messages: BaseMessage[]; todos: Todo[]; files: Files } & InferSchemaValue<State> &
  InferMiddlewareStates<Middleware> &
  (undefined extends Format ? unknown : { structuredResponse: ResponseOf<Format> })

/** What a run may be started with. */
export type DeepAgentInput<
  State extends OwnState | undefined,
  Middleware extends readonly AgentMiddleware[],
> = { messages: Messages; todos?: Todo[]; files?: FilesUpdate } & InferSchemaInput<State> &
  InferMiddlewareInputStates<Middleware>

/** A compiled graph with `messages`, `todos`, `files` and the user's own channels in its state. */
export type DeepAgent<
  State extends OwnState | undefined = undefined,
  Context extends OwnContext | undefined = undefined,
  Middleware extends readonly AgentMiddleware[] = readonly [],
  Format = undefined,
> = CompiledGraph<
  'model_request' | 'tools',
  DeepAgentOutput<State, Middleware, Format>,
  Partial<DeepAgentInput<State, Middleware>>,
  Context extends OwnContext ? InferContextInput<Context> : Record<string, unknown>,
  DeepAgentInput<State, Middleware>,
  DeepAgentOutput<State, Middleware, Format>,
  unknown,
  Command
>
