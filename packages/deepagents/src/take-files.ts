import type { Files } from './file-operation.ts'
import { conflictName } from './files-reducer.ts'
import { refuseFileName } from './file-name.ts'
import type { Workspace } from './workspace.ts'

/**
 * Commits what a graph of the user's wrote: the files that it returned and that differ from those it was given. A file
 * that another agent has changed meanwhile is not overwritten; this version is kept beside it. One that is not returned
 * is not deleted: a runnable may return only what it made.
 */
export async function takeFiles(
  workspace: Workspace,
  owner: string,
  given: Files,
  returned: Files | undefined,
): Promise<void> {
  for (const [name, content] of Object.entries(returned ?? {})) {
    if (content === given[name] || refuseFileName(name) !== undefined) continue
    const isFree = workspace.isKept(name) || workspace.read(name) === given[name]
    const operation = workspace.commit(
      { op: 'write', name: isFree ? name : conflictName(name), content },
      owner,
    )
    if (operation !== undefined) await workspace.save(operation)
  }
}
