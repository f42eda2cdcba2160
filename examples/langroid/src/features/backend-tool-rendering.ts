import { ChatAgent, ToolMessage } from '@clewline/langroid'
import { z } from 'zod'
import type { Feature } from '../feature.ts'

const GetWeather = ToolMessage({
  request: 'get_weather',
  purpose: 'To get the current weather of a <location>.',
  fields: z.object({ location: z.string() }),
  handle: ({ location }) => ({
    location,
    temperature: 21,
    conditions: 'sunny',
    humidity: 45,
    wind_speed: 8,
    feels_like: 22,
  }),
})

const RenderChart = ToolMessage({
  request: 'render_chart',
  purpose: 'To draw a <chart_type> chart of <values>.',
  fields: z.object({
    chart_type: z.enum(['bar', 'line', 'pie']),
    values: z.array(z.object({ label: z.string(), value: z.number() })),
  }),
  handle: (chart) => chart,
})

const Weather = z.object({ location: z.string(), temperature: z.number(), conditions: z.string() })

/** Tools that run on the server and whose results the page draws. A hook words the weather, not the model. */
export const backendToolRendering: Feature = {
  name: 'backend_tool_rendering',
  python: 'backend_tool_rendering:build',
  native: (model) =>
    ChatAgent({
      name: 'backend_tool_rendering',
      model,
      systemMessage: 'You report the weather and draw charts with your tools.',
      tools: [GetWeather, RenderChart],
    }),
  config: {
    description: 'Backend tools that the page renders.',
    toolBehaviors: {
      get_weather: {
        responseFromResult: ({ result }) => {
          const { location, temperature, conditions } = Weather.parse(result)
          return `It is ${temperature} °C and ${conditions} in ${location}.`
        },
      },
    },
  },
}
