/** `summary` shows the summary only, without children and tools, until the model opens the section. */
export type Visibility = 'full' | 'summary'

/** Keys joined by dots: `task.docs`. */
export type SectionPath = string
