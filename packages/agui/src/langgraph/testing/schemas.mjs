// Stands in for the server's own schema route: that one runs the TypeScript compiler over a graph's file, which takes
// 25 to 169 seconds for each graph here and fails on JavaScript (langgraph-api 1.5.1).
import { Hono } from 'hono'

const schema = { type: 'object', properties: { messages: { type: 'array' }, note: {} } }

export const app = new Hono().get('/assistants/:assistant/schemas', (c) =>
  c.json({
    graph_id: c.req.param('assistant'),
    input_schema: schema,
    output_schema: schema,
    state_schema: schema,
    config_schema: { type: 'object', properties: {} },
    context_schema: { type: 'object', properties: {} },
  }),
)
