import { ClewlineError } from '@clewline/core'
import { complaintAbout, type Shape } from './shape.ts'

/** A prompt, section, tool or slice that cannot work as written. Thrown where it is defined. */
export class PromptDefinitionError extends ClewlineError {
  /** Dot path of the section, when one is to blame. */
  readonly section: string | undefined

  constructor(message: string, options: { hint: string; section?: string; cause?: unknown }) {
    super('bad-config', message, options)
    this.name = 'PromptDefinitionError'
    this.section = options.section
  }
}

/** Throws when options are missing, of another kind or misspelt: plain JavaScript checks none of it. */
export function assertShape(
  what: string,
  options: unknown,
  shape: Shape,
  how?: { readonly isOpen: boolean },
): void {
  const complaint = complaintAbout(what, options, shape, how)
  if (complaint !== undefined) throw new PromptDefinitionError(complaint.message, complaint)
}
