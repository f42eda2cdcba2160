import {
  action,
  createSession,
  definePrompt,
  fail,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
} from '@clewline/prompts'
import { z } from 'zod'

const Item = z.object({ name: z.string(), count: z.number() })
const Basket = slice('basket', Item)
const Added = action('added', Item)

const put = tool({
  name: 'put',
  description: 'Puts something into the basket.',
  params: Item,
  handler(item, { session }) {
    session.dispatch(Added(item))
    if (item.count > 10) return fail('At most ten of each.') // takes back what it wrote
    return ok(session.query(Basket).all())
  },
})
const shop = definePrompt({
  ns: 'demo',
  key: 'shop',
  sections: [section({ key: 'task', title: 'Task', template: 'Do the shopping.', tools: [put] })],
})

const session = createSession().register(Basket, Added, (items, item) => [...items, item])
session.bus.on('ToolInvoked', ({ name, result }) => console.log(name, result.success))

const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini' })
await adapter.evaluate(shop.bind(), { session, input: 'Twelve eggs, or ten.' })

const saved = JSON.stringify(session.snapshot())
const later = createSession({ slices: [Basket] })
later.restore(saved)
console.log(later.query(Basket).all())
