import { isRecord } from '@clewline/core'
import { messageOf } from '../events/delivery.ts'
import { validateNow, type Schema } from '../schema/schema.ts'
import type { SessionView } from '../session/session.ts'
import { renderExamples } from './render-examples.ts'
import type { Tool } from './tool.ts'
import { openSectionsTool } from './open-sections.ts'
import { fillPlaceholders } from './placeholders.ts'
import { PromptRenderError } from './prompt-render-error.ts'
import { readSectionTool } from './read-section.ts'
import { carriesTools, type Section } from './section.ts'
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
  /** Paths that are shown as summaries: `open_sections` is offered, and `read_section` for those without tools. */
  readonly summarized: readonly SectionPath[]
  /** Paths of all enabled sections that are shown in full. */
  readonly open: readonly SectionPath[]
  readonly output: OutputSpec | undefined
  /** A section in full, with those below it, as if it and those above it were open. Undefined when it is not there. */
  read(path: SectionPath): { readonly text: string; readonly hasTools: boolean } | undefined
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
  source: RenderSource,
  params: Readonly<Record<string, unknown>>,
  options: RenderOptions,
): RenderedPrompt {
  const { blocks, tools } = collect(source, params, options)
  const summarized = blocks.filter((block) => block.isSummary)
  if (summarized.length > 0) tools.push(openSectionsTool)
  if (summarized.some(({ section }) => !carriesTools(section))) tools.push(readSectionTool)
  return {
    text: textOf(blocks),
    tools,
    summarized: summarized.map(({ path }) => path),
    open: blocks.flatMap(({ path, isSummary }) => (isSummary ? [] : [path])),
    output: source.output,
    read(path) {
      const prefixes = path.split('.').map((_, at, keys) => keys.slice(0, at + 1).join('.'))
      const visibility = { ...options.visibility }
      for (const prefix of prefixes) visibility[prefix] = 'full'
      const found = collect(source, params, { ...options, visibility }).blocks.filter(({ within }) =>
        within.includes(path),
      )
      const [first] = found
      return first && { text: textOf(found), hasTools: carriesTools(first.section) }
    },
  }
}

/** What is shown of one section, without those below it. */
interface Block {
  readonly section: Section
  readonly path: SectionPath
  /** Its own path and those of the sections around it. */
  readonly within: readonly SectionPath[]
  readonly text: string
  readonly isSummary: boolean
}

const textOf = (blocks: readonly Block[]): string => blocks.map(({ text }) => text).join('\n\n')

function collect(
  { sections, names }: RenderSource,
  params: Readonly<Record<string, unknown>>,
  options: RenderOptions,
): { readonly blocks: Block[]; readonly tools: Tool[] } {
  const blocks: Block[] = []
  const tools: Tool[] = []

  const visit = (list: readonly Section[], around: readonly SectionPath[], number: string): void =>
    list.forEach((section, at) => {
      const parent = around.at(-1)
      const path = parent === undefined ? section.key : `${parent}.${section.key}`
      const within = [...around, path]
      const bound = bind(section, path, params, names)
      if (!section.enabled(bound, options.session)) return
      // Numbers count disabled sections too, so that a reference to "2.1" means the same in every rendering.
      const heading = `${'#'.repeat(within.length + 1)} ${number}${at + 1}. ${section.title} (${path})`
      const values = isRecord(bound) ? bound : {}
      const fill = (template: string): string => {
        try {
          return fillPlaceholders(template, values)
        } catch (cause) {
          throw new PromptRenderError(
            `A parameter of section "${path}" cannot be made text: ${messageOf(cause)}.`,
            {
              hint: 'Bind text, numbers, dates, lists and plain objects.',
              section: path,
              cause,
            },
          )
        }
      }
      const push = (isSummary: boolean, parts: readonly string[]) => {
        const text = [heading, ...parts.filter((part) => part !== '')].join('\n\n')
        blocks.push({ section, path, within, text, isSummary })
      }
      if (visibilityOf(section, path, bound, options) === 'summary' && section.summary !== undefined) {
        push(true, [fill(section.summary), summaryNote(section, path)])
        return
      }
      push(false, [fill(section.template), renderExamples(section.tools)])
      tools.push(...section.tools)
      visit(section.children, within, `${number}${at + 1}.`)
    })

  visit(sections, [], '')
  return { blocks, tools }
}

function bind(
  section: Section,
  path: SectionPath,
  params: Readonly<Record<string, unknown>>,
  named: ReadonlySet<string>,
): unknown {
  if (section.params === undefined) return undefined
  // What other sections name is theirs.
  const entries = section.isOpen ? Object.entries(params).filter(([name]) => !named.has(name)) : []
  for (const name of section.names) {
    const given = params[name]
    if (given !== undefined) entries.push([name, given])
    else if (Object.hasOwn(section.defaults, name)) entries.push([name, copy(section.defaults[name])])
  }
  // From entries: to assign `__proto__` would change what the object is.
  const values = Object.fromEntries(entries)
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
  const tool = carriesTools(section) ? 'open_sections' : 'read_section'
  return children === ''
    ? `---\n[This section is summarized. To view full content, call \`${tool}\` with key "${path}".]`
    : `---\n[This section is summarized. Call \`${tool}\` with key "${path}" to view full content including subsections: ${children}.]`
}
