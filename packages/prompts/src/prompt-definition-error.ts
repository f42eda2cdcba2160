import { ClewlineError } from '@clewline/core'

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
