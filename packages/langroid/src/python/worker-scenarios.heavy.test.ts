import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { LangroidAgent } from '../langroid-agent.ts'
import { chatScenario, shownResult } from '../testing/chat-scenario.ts'
import { realAgent, skipped, whyNoLangroid } from '../testing/real-python.ts'
import { realOutcomes, taskScenarios } from '../testing/scenario-task.ts'

/** `turns` is an argument of `Task.run`, which a chat does not have. */
const chats = taskScenarios.filter(({ turns }) => turns === undefined)
/** JSON that asks for no tool of the agent's is text like any other, and so is DONE where it is no signal. */
const TEXT = new Set(['an unknown tool stalls', 'DONE without string signals'])
/** At a terminal the user also answers what a tool said. In a chat nobody wants to: the worker presses Enter for them. */
const ENTER = 'an interactive task, tools in between'

describe.skipIf(whyNoLangroid !== null)(`a real task in a chat${skipped}`, () => {
  const cwd = fileURLToPath(new URL('../../scenarios', import.meta.url))
  const worker = realAgent('scenario_tasks:build', { name: 'Main', cwd })
  afterAll(() => worker.close())

  test.each(chats.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (name, scenario) => {
      const real = realOutcomes[name]!
      const source = LangroidAgent(worker, { maxTurns: 100 })
      const { status, asked, questions, texts, last } = await chatScenario(source, scenario)
      expect(asked).toEqual(name === ENTER ? [...real.asked, 'Main'] : real.asked)
      expect(status).toBe(real.error === null ? 'success' : 'error')
      expect(questions).toEqual(real.questions.filter((agent) => agent !== 'Main'))
      const result = shownResult(real)
      const isUsers = real.questions.includes('Main') && ['q', 'x'].includes(result ?? '')
      const isCall = scenario.task.options?.doneIfTool ?? false
      if (result !== null && !isUsers && !isCall) expect(last.trim()).toBe(result)
      if (!TEXT.has(name))
        expect(texts.join('\n')).not.toMatch(/DONE|DO-NOT-KNOW|__(?:SEND|PASS)__|TOOL:|"request"|"number": /)
    },
    60_000,
  )
})
