import { ClewlineError, isRecord } from '@clewline/core'
import { contentHash } from '../prompt/content-hash.ts'
import { dedent } from '../prompt/placeholders.ts'
import { withSections, type PromptTemplate } from '../prompt/prompt.ts'
import { assertKey, assertPlaceholders, type Section } from '../prompt/section.ts'
import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import type { SectionPath } from '../visibility.ts'
import type { OverridesKey, OverridesStore, SectionOverride } from './overrides-store.ts'

export interface OverrideOptions {
  /** Default `latest`. */
  readonly tag?: string
}

/**
 * Why an edit does not hold. `changed`: the section has another text since; `missing`: it is gone; `fixed`: it takes
 * no overrides; `invalid`: the edit has a placeholder without parameter.
 */
export interface IgnoredOverride {
  readonly path: SectionPath
  readonly reason: 'changed' | 'missing' | 'fixed' | 'invalid'
}

export interface Overridden<P, O> {
  /** The prompt with the edits in place. The same object as long as neither it nor the edits change. */
  readonly prompt: PromptTemplate<P, O>
  readonly applied: readonly SectionPath[]
  readonly ignored: readonly IgnoredOverride[]
}

/** A prompt with the edits that a store has for it. An edit of a text that has changed since is not applied. */
export async function withOverrides<P, O>(
  template: PromptTemplate<P, O>,
  store: OverridesStore,
  options: OverrideOptions = {},
): Promise<Overridden<P, O>> {
  assertArguments(template, store)
  const overrides = await store.load(keyOf(template, options))
  const applied: SectionPath[] = []
  const ignored: IgnoredOverride[] = []
  const edit = (section: Section, parent: SectionPath): Section => {
    const path = parent === '' ? section.key : `${parent}.${section.key}`
    const children = section.children.map((child) => edit(child, path))
    const override = Object.hasOwn(overrides, path) ? overrides[path] : undefined
    if (override === undefined) return { ...section, children }
    const reason = objection(section, override)
    if (reason === undefined) applied.push(path)
    else ignored.push({ path, reason })
    return { ...section, children, ...(reason === undefined && textsOf(override)) }
  }
  const sections = template.sections.map((section) => edit(section, ''))
  const paths = new Set([...applied, ...ignored.map(({ path }) => path)])
  for (const path of Object.keys(overrides)) if (!paths.has(path)) ignored.push({ path, reason: 'missing' })
  const prompt = applied.length === 0 ? template : remembered(template, withSections(template, sections))
  return { prompt, applied, ignored }
}

/** Keeps an edited text for a section as it is in the program now. */
export async function overrideSection(
  template: PromptTemplate,
  store: OverridesStore,
  path: SectionPath,
  edit: { readonly template: string; readonly summary?: string },
  options: OverrideOptions = {},
): Promise<void> {
  assertArguments(template, store)
  assertShape('an override', edit, { template: 'text', summary: 'text?' })
  const section = sectionAt(template, path)
  if (!section.acceptsOverrides)
    throw new ClewlineError('bad-request', `The section "${path}" takes no overrides.`, {
      hint: 'It was defined with acceptsOverrides: false.',
    })
  assertPlaceholders(path, [edit.template, edit.summary ?? ''], section)
  await store.save(keyOf(template, options), path, { expectedHash: sectionHash(section), ...edit })
}

function assertArguments(template: unknown, store: unknown): void {
  if (!isRecord(template) || !Array.isArray(template['sections']))
    throw new ClewlineError('bad-request', 'Overrides are for a prompt as definePrompt() returns it.', {
      hint: 'Apply them first, then bind: (await withOverrides(template, store)).prompt.bind({ ... }).',
    })
  if (!isRecord(store) || typeof store['load'] !== 'function')
    throw new ClewlineError('bad-request', 'Overrides need a store.', {
      hint: 'Use directoryOverrides("prompt-overrides") or memoryOverrides().',
    })
}

function objection(section: Section, override: SectionOverride): IgnoredOverride['reason'] | undefined {
  if (!section.acceptsOverrides) return 'fixed'
  if (override.expectedHash !== sectionHash(section)) return 'changed'
  try {
    assertPlaceholders(section.key, [override.template, override.summary ?? ''], section)
    return undefined
  } catch (error) {
    if (error instanceof PromptDefinitionError) return 'invalid'
    throw error
  }
}

const textsOf = ({ template, summary }: SectionOverride) => ({
  template: dedent(template),
  ...(summary !== undefined && { summary: dedent(summary) }),
})

/** Of the words only: an edit survives a change of tools, but not of the text that was edited. */
const sectionHash = ({ template, summary }: Section): string => contentHash({ template, summary })

function keyOf({ ns, key }: PromptTemplate, { tag = 'latest' }: OverrideOptions): OverridesKey {
  assertKey(tag, 'the tag of overrides')
  return { ns, key, tag }
}

function sectionAt(template: PromptTemplate, path: SectionPath): Section {
  const find = (sections: readonly Section[], parent: string): Section | undefined => {
    for (const section of sections) {
      const at = parent === '' ? section.key : `${parent}.${section.key}`
      const found = at === path ? section : find(section.children, at)
      if (found !== undefined) return found
    }
    return undefined
  }
  const found = find(template.sections, '')
  if (found !== undefined) return found
  throw new ClewlineError('not-found', `"${template.name}" has no section "${path}".`, {
    hint: 'Join the keys from the outermost section on by dots.',
  })
}

// An adapter compiles a graph for each template: one that is made anew for each evaluation would cost that each time.
const latest = new WeakMap<object, Map<string, unknown>>()
const remembers = 16

function remembered<P, O>(
  template: PromptTemplate<P, O>,
  edited: PromptTemplate<P, O>,
): PromptTemplate<P, O> {
  const known = latest.get(template) ?? new Map<string, unknown>()
  latest.set(template, known)
  // Equal hashes mean equal words, tools and schemas; handlers are those of the one template that this map belongs to.
  const before = known.get(edited.hash)
  if (before !== undefined) return before as PromptTemplate<P, O>
  const [oldest] = known.keys()
  if (known.size >= remembers && oldest !== undefined) known.delete(oldest)
  known.set(edited.hash, edited)
  return edited
}
