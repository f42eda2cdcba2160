import type { Message } from '@ag-ui/client'
import { element } from './dom.ts'

/** The conversation, with the results of known tools as cards. */
export function showMessages(list: HTMLElement, messages: readonly Message[]): void {
  list.replaceChildren(
    ...messages.flatMap((message) => {
      if (message.role === 'tool') return typeof message.content === 'string' ? card(message.content) : []
      if (message.role !== 'user' && message.role !== 'assistant') return []
      if (typeof message.content !== 'string' || message.content === '') return []
      return [element('li', message.content, { 'data-role': message.role })]
    }),
  )
}

/** Weather and charts are drawn; other results are for the model. */
function card(content: string): HTMLElement[] {
  const result = parsed(content)
  if (result === null) return []
  if ('temperature' in result) {
    const item = element('li', '', { class: 'card', 'data-testid': 'weather-card' })
    const facts = [`Humidity ${String(result['humidity'])} %`, `Wind ${String(result['wind_speed'])} km/h`]
    item.append(
      element('strong', String(result['location'])),
      element('p', `${String(result['temperature'])} °C`),
    )
    item.append(...facts.map((fact) => element('p', fact)))
    return [item]
  }
  if (!Array.isArray(result['values'])) return []
  const item = element('li', '', { class: 'card', 'data-testid': 'chart-card' })
  for (const { label, value } of result['values'] as { label: string; value: number }[]) {
    const bar = element('meter', '', { min: '0', max: '10', value: String(value), 'aria-label': label })
    item.append(element('span', `${label} `), bar, element('br'))
  }
  return [item]
}

function parsed(content: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
