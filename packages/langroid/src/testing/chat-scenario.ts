import { isRecord, type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { driveRun, type RunOutcome, type RunRequest } from '@clewline/core/source'
import { expect } from 'vitest'
import { z } from 'zod'
import type { LangroidAgent } from '../langroid-agent.ts'
import type { ScenarioOutcome, TaskScenario } from './scenario-task.ts'

/** What a reader sees of a scenario. */
export interface ChatOutcome {
  readonly status: RunOutcome['status']
  /** The agents whose models were asked, in order. */
  readonly asked: readonly string[]
  /** The agents of sub-tasks that asked their user, in order. */
  readonly questions: readonly string[]
  /** Everything that was shown, by whomever. */
  readonly texts: readonly string[]
  /** The last thing that the main agent or its task said. */
  readonly last: string
}

const Question = z.object({ agent: z.string(), text: z.string() })
const QUIT = new Set(['q', 'x'])

/** Plays a scenario as a chat: questions of sub-tasks are interrupts, those of the main task are answered by a message. */
export async function chatScenario(source: LangroidAgent, scenario: TaskScenario): Promise<ChatOutcome> {
  const people = (scenario.user ?? []).filter((answer) => !QUIT.has(answer))
  const inputs = [scenario.input, ...(scenario.then ?? [])]
  const log: Envelope[] = []
  const questions: string[] = []
  let outcome: RunOutcome = { status: 'success' }
  let trace = 0

  async function drive(request: RunRequest): Promise<void> {
    outcome = await driveRun(source, request, {
      thread_id: scenario.name,
      run_id: `run-${log.length}`,
      trace_id: `trace-${trace}`,
      history: log,
      write: (envelopes) => void log.push(...envelopes),
    })
    while (outcome.status === 'interrupted') {
      const [asked] = outcome.interrupts
      questions.push(Question.parse(asked?.value).agent)
      await drive({ kind: 'resume', answers: [{ value: people.shift() ?? 'q' }] })
    }
  }

  for (let input = inputs.shift(); input !== undefined; input = inputs.shift() ?? people.shift()) {
    trace++
    const message = { id: `u-${trace}`, role: 'user', content: input }
    await drive({ kind: 'input', input: { messages: [message] } })
  }
  expect(verify(log)).toEqual([])
  const said = log.filter((envelope) => envelope.type === 'llm_end')
  return {
    status: outcome.status,
    asked: log.flatMap((e) => (e.type === 'llm_start' && !isResult(e) ? [e.agent] : [])),
    questions,
    texts: said.map((envelope) => envelope.payload.message.text),
    last: said.findLast((envelope) => isMain(log, envelope))?.payload.message.text ?? '',
  }
}

/** What the task's last result is to a reader: its words, or the fields of a structured one. */
export function shownResult({ results }: ScenarioOutcome): string | null {
  const result = results.at(-1)
  if (result === null || result === undefined) return null
  // A tool that the model asked for is shown as a call.
  if (result.content.startsWith('TOOL:')) return null
  if (result.content !== '') return result.content
  return result.tools.map((tool) => (isRecord(tool) ? JSON.stringify(tool['args']) : '')).join('\n')
}

function isResult(envelope: Extract<Envelope, { type: 'llm_start' }>): boolean {
  return envelope.payload.model === 'task'
}

function isMain(log: readonly Envelope[], { parent_id }: Envelope): boolean {
  const around = log.find((envelope) => envelope.call_id === parent_id)
  return around?.parent_id === null
}
