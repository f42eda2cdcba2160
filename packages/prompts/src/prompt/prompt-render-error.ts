import { ClewlineError } from '@clewline/core'

/** Bound parameters do not satisfy a section. */
export class PromptRenderError extends ClewlineError {
  /** Dot path of the section that could not be rendered. */
  readonly section: string

  constructor(message: string, options: { hint: string; section: string; cause?: unknown }) {
    super('bad-request', message, options)
    this.name = 'PromptRenderError'
    this.section = options.section
  }
}
