import { isRecord } from '@clewline/core'
import type { BaseMessage } from '@langchain/core/messages'
import { messageOf } from '../events/delivery.ts'
import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'
import { parseOutput } from '../output/parse-output.ts'
import type { CompletionVerdict } from '../prompt/completion.ts'
import { currentEvaluation, type Evaluation } from './evaluation.ts'
import { finalText } from './final-answer.ts'
import type { LangChain } from './load-langchain.ts'

/**
 * Asks the prompt's own check about each final answer; what is missing goes to the model as a message, and it goes
 * on. A node of the graph, unlike the rest: answer and reminder stay in the conversation.
 */
export function completionMiddleware(lc: LangChain, reminders: number) {
  return lc.agents.createMiddleware({
    name: 'clewline-completion',
    afterModel: {
      canJumpTo: ['model'],
      async hook({ messages }) {
        const evaluation = currentEvaluation(lc)
        if (evaluation === undefined || callsTools(messages.at(-1))) return undefined
        const missing = await check(evaluation, messages)
        if (missing === undefined || missing === null || missing === '') return undefined
        if (typeof missing !== 'string')
          throw failure(evaluation, 'The completion check must return what is missing, as text, or nothing')
        if (evaluation.counts.reminders >= reminders)
          throw failure(evaluation, `The task is not complete: ${missing}`)
        evaluation.counts.reminders += 1
        return { messages: [new lc.messages.HumanMessage(missing)], jumpTo: 'model' as const }
      },
    },
  })
}

function callsTools(message: unknown): boolean {
  const calls = isRecord(message) ? message['tool_calls'] : undefined
  return Array.isArray(calls) && calls.length > 0
}

async function check(evaluation: Evaluation, messages: readonly BaseMessage[]): Promise<CompletionVerdict> {
  const { template } = evaluation.prompt
  const text = finalText({ messages })
  const parsed = template.output === undefined ? undefined : await parseOutput(template.output, text)
  const { session, signal } = evaluation
  try {
    return await template.completion?.({
      text: parsed === undefined ? text : null,
      output: parsed?.ok === true ? parsed.value : undefined,
      session,
      signal,
    })
  } catch (cause) {
    throw failure(evaluation, `The completion check failed: ${messageOf(cause)}`, cause)
  }
}

const failure = ({ prompt }: Evaluation, message: string, cause?: unknown) =>
  new PromptEvaluationError(message, { promptName: prompt.name, phase: 'response', cause })
