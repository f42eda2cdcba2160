import {
  BudgetExceededError,
  createBudgetTracker,
  createSession,
  Deadline,
  DeadlineExceededError,
  definePrompt,
  LangGraphAdapter,
  section,
} from '@clewline/prompts'

const poem = definePrompt({
  ns: 'demo',
  key: 'poem',
  sections: [section({ key: 'task', title: 'Task', template: 'Write a poem.' })],
}).bind()

const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini' })
const budgetTracker = createBudgetTracker({ maxTotalTokens: 100_000, maxModelCalls: 2 })
const deadline = Deadline.after(30_000)
try {
  while (true) {
    const response = await adapter.evaluate(poem, { session: createSession(), budgetTracker, deadline })
    if (response.status === 'completed') console.log(response.text)
  }
} catch (error) {
  if (error instanceof BudgetExceededError) console.log(`Enough: ${error.dimension}, ${error.limit}.`)
  else if (error instanceof DeadlineExceededError) console.log('Too late.')
  else throw error
} finally {
  deadline[Symbol.dispose]()
}
console.log(budgetTracker.consumed.modelCalls)
