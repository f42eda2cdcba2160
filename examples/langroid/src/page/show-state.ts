import { element } from './dom.ts'

interface Recipe {
  readonly title: string
  readonly ingredients: readonly { readonly icon: string; readonly name: string; readonly amount: string }[]
  readonly instructions: readonly string[]
}

/** The shared state: a recipe that can be edited here, or steps that the agent ticks off. */
export function showState(place: HTMLElement, state: unknown, change: (state: object) => void): void {
  if (typeof state !== 'object' || state === null) return place.replaceChildren()
  if ('recipe' in state) return place.replaceChildren(recipeCard(state.recipe as Recipe, change))
  if ('steps' in state && Array.isArray(state.steps)) return place.replaceChildren(stepList(state.steps))
  place.replaceChildren()
}

function recipeCard(recipe: Recipe, change: (state: object) => void): HTMLElement {
  const card = element('div', '', { class: 'card', 'data-testid': 'recipe' })
  const ingredients = element('ul')
  ingredients.append(
    ...recipe.ingredients.map(({ icon, name, amount }) =>
      element('li', `${icon} ${name} ${amount}`, { 'data-testid': 'ingredient-card' }),
    ),
  )
  const instructions = element('ol')
  instructions.append(...recipe.instructions.map((text) => element('li', text)))
  const add = element('button', 'Add potatoes', { type: 'button' })
  add.addEventListener('click', () => {
    const potatoes = { icon: '🥔', name: 'Potatoes', amount: '12' }
    const next = { recipe: { ...recipe, ingredients: [...recipe.ingredients, potatoes] } }
    change(next)
    card.replaceWith(recipeCard(next.recipe, change))
  })
  card.append(element('h2', recipe.title), ingredients, instructions, add)
  return card
}

function stepList(steps: readonly { readonly description: string; readonly status: string }[]): HTMLElement {
  const list = element('ol', '', { class: 'card', 'data-testid': 'task-progress' })
  list.append(
    ...steps.map(({ description, status }) => {
      const mark = status === 'completed' ? '☑' : '☐'
      return element('li', `${mark} ${description}`, {
        'data-testid': 'task-step-text',
        'data-status': status,
      })
    }),
  )
  return list
}
