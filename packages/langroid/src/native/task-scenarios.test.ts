import { describe, expect, test } from 'vitest'
import {
  comparable,
  differences,
  realOutcomes,
  runScenario,
  taskScenarios,
} from '../testing/scenario-task.ts'

describe('a task does what real Langroid does', () => {
  test.each(taskScenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (name, scenario) => {
      const native = comparable(await runScenario(scenario))
      const real = comparable(realOutcomes[name]!)
      for (const part of ['results', 'error', 'asked', 'questions', 'histories'] as const) {
        // A difference that is gone must leave the list, too.
        if (differences[name]?.in.includes(part)) expect(native[part]).not.toEqual(real[part])
        else expect(native[part]).toEqual(real[part])
      }
    },
  )
})
