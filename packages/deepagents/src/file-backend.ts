import type { FileChange, Files } from './file-operation.ts'

/**
 * Where files are kept that outlive a conversation. While agents work, they share one live workspace in memory
 * (`workspace.ts`), which is loaded from here and writes every change through; so a backend needs no more than this.
 */
export interface FileBackend {
  /** Whether a file of this name is kept here. All others stay in the state. */
  owns(name: string): boolean
  /** All files, by name. */
  load(): Promise<Files>
  /**
   * Makes one change. Atomic, also among changes that are made at the same time: an edit applies to what the file then
   * holds, and two edits of one file are both kept. False, with the file untouched, when the change does not fit: an edit
   * whose text is not there exactly once (or at least once for `all`), or a delete of a file that is gone.
   */
  apply(change: FileChange): Promise<boolean>
}
