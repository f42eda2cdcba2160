import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, realpath, rename, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { DeepAgentError } from './deep-agent-error.ts'
import { refuseFileName } from './file-name.ts'
import type { FileBackend } from './file-backend.ts'
import { applyChange } from './file-operation.ts'
import { takeTurns } from './take-turns.ts'

export interface DirectoryOptions {
  /** Bytes that one file may have. A larger one is not shown, and not written. Default 10 million. */
  readonly maxFileSize?: number
}

/** Of the whole process: two agents may be given the same directory. */
const inTurn = takeTurns()

/**
 * Files in a directory on disk. Jailed: names are flat, only regular files directly in the directory are read or
 * written, and links are not followed. Changes are atomic within a process; between processes an edit applies to what
 * the file holds when it is made.
 */
export function directoryFiles(
  directory: string,
  { maxFileSize = 10_000_000 }: DirectoryOptions = {},
): FileBackend {
  async function read(path: string): Promise<string | undefined> {
    let file: FileHandle | undefined
    try {
      // NOFOLLOW: a link is refused by the kernel, so that nothing can be put in its place between a check and its use.
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      const { size } = await file.stat()
      return size > maxFileSize ? undefined : await file.readFile('utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') return undefined
      throw error
    } finally {
      await file?.close()
    }
  }

  async function write(root: string, name: string, content: string): Promise<void> {
    if (Buffer.byteLength(content) > maxFileSize) {
      throw new DeepAgentError('bad-file', `The file ${name} would have more than ${maxFileSize} bytes.`, {
        hint: 'Write less, or raise maxFileSize of directoryFiles.',
      })
    }
    const draft = join(root, `.${randomUUID()}.draft`)
    try {
      const file = await open(draft, 'wx', 0o600)
      await file.writeFile(content).finally(() => file.close())
      // Takes the place of whatever had the name, a link too: nothing is ever written through one.
      await rename(draft, join(root, name))
    } finally {
      await rm(draft, { force: true })
    }
  }

  return {
    owns: () => true,
    async load() {
      const root = await rootOf(directory)
      const entries = await readdir(root, { withFileTypes: true })
      const names = entries.filter((entry) => entry.isFile() && !isDraft(entry.name)).map(({ name }) => name)
      const files: Record<string, string> = {}
      for (const name of names.sort()) {
        const content = refuseFileName(name) === undefined ? await read(join(root, name)) : undefined
        if (content !== undefined) files[name] = content
      }
      return files
    },
    async apply(change) {
      const refusal = refuseFileName(change.name)
      if (refusal !== undefined)
        throw new DeepAgentError('bad-file', refusal, { hint: 'Choose another name.' })
      const root = await rootOf(directory)
      const path = join(root, change.name)
      return inTurn(path, async () => {
        const before = await read(path)
        const files = new Map(before === undefined ? [] : [[change.name, before]])
        if (!applyChange(files, change)) return false
        const after = files.get(change.name)
        if (after === undefined) await rm(path, { force: true })
        else await write(root, change.name, after)
        return true
      })
    },
  }
}

async function rootOf(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  return realpath(directory)
}

function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.draft')
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
