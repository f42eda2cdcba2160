export { mortalProcess, saverWrite } from './mortal-process.ts'
export type { Death, MortalProcess, SaverWrite } from './mortal-process.ts'
export { recordRun } from './record-run.ts'
export type { Recording, RecordOptions } from './record-run.ts'
export { ScriptedChatModel, scriptedModel } from './scripted-model.ts'
export type {
  Script,
  ScriptedPrompt,
  ScriptedToolCall,
  ScriptedTurn,
  ScriptedUsage,
} from './scripted-turn.ts'
export { story } from './story.ts'
