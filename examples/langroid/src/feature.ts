import type { ChatAgent, LangroidAgentConfig, LanguageModel } from '@clewline/langroid'

/** One thing that AG-UI can show, with an agent for it in TypeScript and the same in Python. */
export interface Feature {
  /** Its path on the server, as the AG-UI dojo names it. */
  readonly name: string
  readonly native: (model: LanguageModel) => ChatAgent
  /** `module:function` in the folder `python`. */
  readonly python: string
  readonly config: LangroidAgentConfig
}
