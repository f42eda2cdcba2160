import type { SectionPath } from '../visibility.ts'

/** Which edits of which prompt: `tag` tells apart sets of them, such as `latest` and an experiment. */
export interface OverridesKey {
  readonly ns: string
  readonly key: string
  readonly tag: string
}

/** The edited text of one section. JSON. */
export interface SectionOverride {
  /** Hash of the section as it was when it was edited: the edit holds for that text only. */
  readonly expectedHash: string
  readonly template: string
  readonly summary?: string
}

/**
 * Where edits are kept, one section at a time: edits of two sections cannot overwrite each other, and of two edits of
 * one section the last wins, whole.
 */
export interface OverridesStore {
  load(of: OverridesKey): Promise<Readonly<Record<SectionPath, SectionOverride>>>
  save(of: OverridesKey, path: SectionPath, override: SectionOverride): Promise<void>
  /** Idempotent: nothing happens when there is none. */
  remove(of: OverridesKey, path: SectionPath): Promise<void>
}
