import { definePrompt, section } from '@clewline/prompts'
import { directoryOverrides, overrideSection, withOverrides } from '@clewline/prompts/overrides'
import { z } from 'zod'

const greeting = definePrompt({
  ns: 'demo',
  key: 'greeting',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Greet {{name}}.',
      params: z.object({ name: z.string() }),
    }),
  ],
})

const store = directoryOverrides('prompt-overrides') // prompt-overrides/demo/greeting/latest/task.json
await overrideSection(greeting, store, 'task', { template: 'Greet {{name}} like an old friend.' })

const { prompt, applied, ignored } = await withOverrides(greeting, store)
console.log(applied, ignored)
console.log(prompt.bind({ name: 'Ada' }).render().text)
