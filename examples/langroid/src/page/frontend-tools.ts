import type { Tool } from '@ag-ui/client'
import { element } from './dom.ts'

/** The tools that this page runs, by feature. */
export function frontendTools(feature: string): Tool[] {
  switch (feature) {
    case 'agentic_chat':
      return [
        {
          name: 'change_background',
          description: 'Change the background of the page to a CSS colour.',
          parameters: {
            type: 'object',
            properties: { background: { type: 'string' } },
            required: ['background'],
          },
        },
      ]
    case 'human_in_the_loop':
      return [
        {
          name: 'generate_task_steps',
          description: 'Show a plan to the user, who keeps or drops steps.',
          parameters: {
            type: 'object',
            properties: {
              steps: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    description: { type: 'string' },
                    status: { type: 'string', enum: ['enabled', 'disabled', 'executing'] },
                  },
                  required: ['description', 'status'],
                },
              },
            },
            required: ['steps'],
          },
        },
      ]
    default:
      return []
  }
}

/** Shows a plan and waits for the user: which steps are kept, or that none is wanted. */
export function askAboutSteps(place: HTMLElement, args: unknown): Promise<string> {
  const steps = stepsOf(args)
  const boxes = steps.map((step) => {
    const label = element('label', ` ${step}`)
    const box = element('input', '', { type: 'checkbox' })
    box.checked = true
    label.prepend(box)
    return { step, box, label }
  })
  const accept = element('button', 'Perform steps', { type: 'button' })
  const refuse = element('button', 'Reject', { type: 'button' })
  const card = element('div', '', { class: 'card', 'data-testid': 'plan' })
  card.append(...boxes.flatMap(({ label }) => [label, element('br')]), accept, ' ', refuse)
  place.replaceChildren(card)
  return new Promise((resolve) => {
    const decide = (accepted: boolean): void => {
      const kept = boxes.filter(({ box }) => box.checked).map(({ step }) => step)
      place.replaceChildren()
      resolve(JSON.stringify({ accepted, steps: accepted ? kept : [] }))
    }
    accept.addEventListener('click', () => decide(true))
    refuse.addEventListener('click', () => decide(false))
  })
}

function stepsOf(args: unknown): string[] {
  const steps = typeof args === 'object' && args !== null && 'steps' in args ? args.steps : []
  return Array.isArray(steps) ? steps.map((step: { description?: unknown }) => String(step.description)) : []
}
