import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'
import { outputToolName } from '../output/output-strategy.ts'
import { parseOutput, readOutput } from '../output/parse-output.ts'
import type { OutputSpec } from '../prompt/render-prompt.ts'
import type { Validation } from '../schema/schema.ts'
import type { LangChain } from './load-langchain.ts'
import { withToolCalls } from './repair-tool-calls.ts'

export interface OutputTurn {
  readonly spec: OutputSpec
  readonly promptName: string
  /** Turns the model may use to mend an answer that does not fit. */
  readonly repairs: number
  /** Calls the model again, with these messages added. */
  askAgain(messages: BaseMessage[]): Promise<AIMessage>
}

/**
 * Makes a final answer one that carries valid output, as JSON text and without a call to the output tool. Answers
 * that call other tools pass: the loop goes on.
 */
export async function settleOutput(lc: LangChain, first: AIMessage, turn: OutputTurn): Promise<AIMessage> {
  let answer = first
  const added: BaseMessage[] = []
  for (let left = turn.repairs; ; left -= 1) {
    const calls = answer.tool_calls ?? []
    const submitted = calls.find((call) => call.name === outputToolName)
    const others = calls.filter((call) => call.name !== outputToolName)
    // Output together with other calls is premature: the tools run first.
    if (others.length > 0) return withToolCalls(lc, answer, others)
    const checked: Validation<unknown> =
      submitted === undefined
        ? await parseOutput(turn.spec, answer.text)
        : await readOutput(turn.spec, submitted.args)
    if (checked.ok)
      return submitted === undefined ? answer : withToolCalls(lc, answer, [], JSON.stringify(submitted.args))
    if (left <= 0)
      throw new PromptEvaluationError(`The output does not fit: ${checked.message}.`, {
        promptName: turn.promptName,
        phase: 'response',
        providerPayload: submitted?.args ?? answer.text,
      })
    const complaint = `The output does not fit: ${checked.message}. Answer again with all of it corrected.`
    added.push(
      answer,
      submitted === undefined
        ? new lc.messages.HumanMessage(complaint)
        : new lc.messages.ToolMessage({
            content: complaint,
            tool_call_id: submitted.id ?? '',
            status: 'error',
          }),
    )
    answer = await turn.askAgain(added)
  }
}
