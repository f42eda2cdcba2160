export { ScriptedChatModel, scriptedModel } from './scripted-model.ts'
export type {
  Script,
  ScriptedPrompt,
  ScriptedToolCall,
  ScriptedTurn,
  ScriptedUsage,
} from './scripted-turn.ts'
