import { isRecord } from '@clewline/core'
import { validateNow, type Schema } from '../schema/schema.ts'
import type { SessionView } from '../session/session.ts'
import { renderExamples } from './render-examples.ts'
import type { Tool } from './tool.ts'
import { openSectionsTool } from './open-sections.ts'
import { fillPlaceholders } from './placeholders.ts'
import { PromptRenderError } from './prompt-render-error.ts'
import type { Section } from './section.ts'
import type { SectionPath, Visibility } from '../visibility.ts'

export interface OutputSpec {
  readonly schema: Schema
  readonly container: 'object' | 'array'
  readonly allowExtraKeys: boolean
}

/** The text and tools of one moment of an evaluation. */
export interface RenderedPrompt {
  readonly text: string
  readonly tools: readonly Tool[]
  /** Paths that are shown as summaries; while there is one, the tool `open_sections` is offered. */
  readonly summarized: readonly SectionPath[]
  /** Paths of all enabled sections that are shown in full. */
  readonly open: readonly SectionPath[]
  readonly output: OutputSpec | undefined
}

export interface RenderOptions {
  readonly visibility?: Readonly<Record<SectionPath, Visibility>>
  readonly session?: SessionView
}

/** What is rendered: the sections, and the names of all their parameters. */
interface RenderSource {
  readonly sections: readonly Section[]
  readonly names: ReadonlySet<string>
  readonly output: OutputSpec | undefined
}

export function renderPrompt(
  { sections, names, output }: RenderSource,
  params: Readonly<Record<string, unknown>>,
  options: RenderOptions,
): RenderedPrompt {
  const blocks: string[] = []
  const tools: Tool[] = []
  const summarized: SectionPath[] = []
  const open: SectionPath[] = []

  const visit = (list: readonly Section[], parent: SectionPath, number: string, depth: number): void =>
    list.forEach((section, at) => {
      const path = parent === '' ? section.key : `${parent}.${section.key}`
      const bound = bind(section, path, params, names)
      if (!section.enabled(bound, options.session)) return
      // Numbers count disabled sections too, so that a reference to "2.1" means the same in every rendering.
      const heading = `${'#'.repeat(depth + 2)} ${number}${at + 1}. ${section.title} (${path})`
      const values = isRecord(bound) ? bound : {}
      if (visibilityOf(section, path, bound, options) === 'summary' && section.summary !== undefined) {
        summarized.push(path)
        blocks.push(
          [heading, fillPlaceholders(section.summary, values), summaryNote(section, path)].join('\n\n'),
        )
        return
      }
      open.push(path)
      tools.push(...section.tools)
      const body = [fillPlaceholders(section.template, values), renderExamples(section.tools)]
      blocks.push([heading, ...body.filter((part) => part !== '')].join('\n\n'))
      visit(section.children, path, `${number}${at + 1}.`, depth + 1)
    })

  visit(sections, '', '', 0)
  if (summarized.length > 0) tools.push(openSectionsTool)
  return { text: blocks.join('\n\n'), tools, summarized, open, output }
}

function bind(
  section: Section,
  path: SectionPath,
  params: Readonly<Record<string, unknown>>,
  named: ReadonlySet<string>,
): unknown {
  if (section.params === undefined) return undefined
  const values: Record<string, unknown> = {}
  // What other sections name is theirs.
  if (section.isOpen)
    for (const [name, value] of Object.entries(params)) if (!named.has(name)) values[name] = value
  for (const name of section.names) {
    const given = params[name]
    if (given !== undefined) values[name] = given
    else if (Object.hasOwn(section.defaults, name)) values[name] = copy(section.defaults[name])
  }
  const checked = validateNow(section.params, values)
  if (checked.ok) return checked.value
  throw new PromptRenderError(`The parameters of section "${path}" do not fit: ${checked.message}.`, {
    hint: `Bind ${section.names.join(', ') || 'what its schema takes'}, or give the section defaults.`,
    section: path,
  })
}

/** Data is copied, so that a rendering cannot change the section; an instance of a class is passed as it is. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (!isRecord(value)) return value
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)])) : value
}

function visibilityOf(
  section: Section,
  path: SectionPath,
  bound: unknown,
  options: RenderOptions,
): Visibility {
  const override = options.visibility?.[path]
  if (override !== undefined) return override
  return typeof section.visibility === 'function'
    ? section.visibility(bound, options.session)
    : section.visibility
}

function summaryNote(section: Section, path: SectionPath): string {
  const children = section.children.map((child) => child.key).join(', ')
  return children === ''
    ? `---\n[This section is summarized. To view full content, call \`open_sections\` with key "${path}".]`
    : `---\n[This section is summarized. Call \`open_sections\` with key "${path}" to view full content including subsections: ${children}.]`
}
