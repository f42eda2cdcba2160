import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import { createDeepAgent, type DeepAgent, type SubAgent } from '@clewline/deepagents'
import { internetSearch } from './internet-search.ts'
import { CRITIC_PROMPT, INSTRUCTIONS, RESEARCHER_PROMPT } from './prompts.ts'
import { publishReport } from './publish-report.ts'
import { ScriptedResearchModel } from './scripted-research-model.ts'

export interface ResearchAgentOptions {
  /** A LangChain chat model or `"provider:model"`. Left out: the scripted model, which needs no provider. */
  readonly model?: string | BaseChatModel
  /** How long the scripted model waits between tokens. */
  readonly paceMs?: number
  readonly checkpointer?: BaseCheckpointSaver | boolean
}

const subagents: readonly SubAgent[] = [
  {
    name: 'research-agent',
    description: 'Researches one part of a question and writes notes. Give it one part at a time.',
    prompt: RESEARCHER_PROMPT,
    tools: ['internet_search', 'write_todos', 'ls', 'read_file', 'write_file', 'edit_file'],
  },
  {
    name: 'critique-agent',
    description: 'Reviews final_report.md against the question and says what to change.',
    prompt: CRITIC_PROMPT,
    tools: ['ls', 'read_file', 'grep'],
  },
]

/** The deep research agent: plan, researchers in parallel, report, critique, approval. */
export function createResearchAgent(options: ResearchAgentOptions = {}): DeepAgent {
  const { model, paceMs, checkpointer } = options
  return createDeepAgent({
    name: 'research',
    instructions: INSTRUCTIONS,
    model: model ?? new ScriptedResearchModel(paceMs === undefined ? {} : { paceMs }),
    tools: [internetSearch, publishReport],
    subagents,
    interruptOn: {
      publish_report: {
        allowedDecisions: ['approve', 'edit', 'reject'],
        description: 'The report is ready. Publish it?',
      },
    },
    ...(checkpointer === undefined ? {} : { checkpointer }),
  })
}
