export { aguiEndpoints } from './http/agui-endpoints.ts'
export type { AguiEndpoints, AguiEndpointsOptions, AguiRequest, AguiResponse } from './http/agui-endpoints.ts'
export { aguiHandlers } from './http/agui-handlers.ts'
export type { AguiHandlers, AguiOptions } from './http/agui-handlers.ts'
export { aguiStreams } from './stream/agui-streams.ts'
export type { AguiStreams, AguiStreamsOptions, OpenStream, StreamRequest } from './stream/agui-streams.ts'
export { memoryThreads } from './memory-threads.ts'
export type { MemoryThreadsOptions } from './memory-threads.ts'
export type {
  AgentDescription,
  ReadThread,
  SettledRun,
  StartedRun,
  StartRun,
  Threads,
  ThreadState,
} from './threads.ts'
export { aguiMessages } from './translate/agui-messages.ts'
export { createTranslator } from './translate/create-translator.ts'
export type { Translator } from './translate/create-translator.ts'
export type { RunEnding } from './translate/run-boundary.ts'
export { step } from './translate/step.ts'
export { initialState } from './translate/translator-state.ts'
export type { TranslatorOptions, TranslatorState } from './translate/translator-state.ts'
