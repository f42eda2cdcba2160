import { fail, type ToolResult } from '../result/tool-result.ts'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import type { SectionPath, Visibility } from '../visibility.ts'
import type { RenderedPrompt } from './render-prompt.ts'
import { defineTool, type Tool } from './tool.ts'

/** The model asked to see summarized sections. Thrown out of `evaluate` when the adapter's disclosure is `throw`. */
export class VisibilityExpansionRequired extends Error {
  readonly overrides: Readonly<Record<SectionPath, Visibility>>
  readonly reason: string

  constructor(keys: readonly SectionPath[], reason: string) {
    super(`The model asks to open ${keys.join(', ')}: ${reason}`)
    this.name = 'VisibilityExpansionRequired'
    this.overrides = Object.fromEntries(keys.map((key) => [key, 'full' as const]))
    this.reason = reason
  }
}

interface OpenSections {
  readonly section_keys: readonly string[]
  readonly reason: string
}

const params = fromJsonSchema<OpenSections>({
  type: 'object',
  properties: {
    section_keys: { type: 'array', items: { type: 'string' }, description: 'Paths of summarized sections.' },
    reason: { type: 'string', description: 'Why they are needed.' },
  },
  required: ['section_keys', 'reason'],
})

/** Offered while a section is summarized. It throws; the adapter decides what opening means. */
export const openSectionsTool: Tool = defineTool({
  name: 'open_sections',
  description: 'Opens summarized sections of these instructions, with their tools.',
  params,
  handler({ section_keys, reason }, { rendered }) {
    const refusal = refuse(section_keys, rendered)
    if (refusal !== undefined) return refusal
    throw new VisibilityExpansionRequired(section_keys, reason)
  },
})

function refuse(keys: readonly string[], rendered: RenderedPrompt): ToolResult<never> | undefined {
  if (keys.length === 0) return fail('At least one section key must be provided.')
  for (const key of keys) {
    if (rendered.open.includes(key)) return fail(`Section '${key}' is already expanded.`)
    if (!rendered.summarized.includes(key)) return fail(`Section '${key}' does not exist in this prompt.`)
  }
  return undefined
}
