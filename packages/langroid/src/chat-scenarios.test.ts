import { describe, expect, test } from 'vitest'
import { LangroidAgent } from './langroid-agent.ts'
import { chatScenario, shownResult } from './testing/chat-scenario.ts'
import { differences, realOutcomes, scenarioTask, taskScenarios } from './testing/scenario-task.ts'

/** `turns` is an argument of `Task.run`, which a chat does not have. */
const chats = taskScenarios.filter(({ turns }) => turns === undefined)
/** JSON that asks for no tool of the agent's is text like any other. */
const TEXT = 'an unknown tool stalls'

describe('a native task in a chat', () => {
  test.each(chats.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    const real = realOutcomes[name]!
    const { status, asked, questions, texts, last } = await chatScenario(
      LangroidAgent(scenarioTask(scenario.task)),
      scenario,
    )
    if (differences[name]?.in.includes('asked')) return
    expect(asked).toEqual(real.asked)
    expect(status).toBe(real.error === null ? 'success' : 'error')
    expect(questions).toEqual(real.questions.filter((agent) => agent !== 'Main'))
    const result = shownResult(real)
    const isUsers = real.questions.includes('Main') && ['q', 'x'].includes(result ?? '')
    const isCall = scenario.task.options?.doneIfTool ?? false
    if (result !== null && !isUsers && !isCall) expect(last.trim()).toBe(result)
    if (name !== TEXT)
      expect(texts.join('\n')).not.toMatch(/DONE|DO-NOT-KNOW|__(?:SEND|PASS)__|TOOL:|"request"|"number": /)
  })
})
