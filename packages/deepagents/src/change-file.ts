import type { Command } from '@langchain/langgraph'
import type { AgentRuntime, OpenSeat, Seat } from './agent-runtime.ts'
import { answer } from './answer.ts'
import { cutText } from './cut-text.ts'
import { refuseFileName } from './file-name.ts'
import { countOccurrences, nextStamp, type FileChange, type FileOperation } from './file-operation.ts'
import { matchGlob } from './match-glob.ts'
import { report } from './report.ts'

/** Where changes are made, and which. */
export interface WorkPlace {
  readonly open: OpenSeat
  /** In characters. */
  readonly maxSize: number
  /** Patterns of names that no tool may change. */
  readonly readOnly: readonly string[]
}

/** Makes one change, or says why not. Atomic: all or nothing, and the answer takes concurrent changes of other agents into account. */
export async function changeFile(
  runtime: AgentRuntime,
  tool: string,
  change: FileChange,
  { open, maxSize, readOnly }: WorkPlace,
): Promise<Command> {
  const { name } = change
  const refuse = (text: string): Command => answer(runtime, { tool, text, failed: true })
  const badName = refuseFileName(name)
  if (badName !== undefined) return refuse(badName)
  if (readOnly.some((pattern) => matchGlob(pattern, name))) return refuse(`${name} is read-only.`)

  const seat = await open(runtime)
  const before = seat.workspace.read(name)
  const seen = runtime.state.files?.[name]
  const elsewhere = before !== seen && (seat.workspace.changedBy(name) ?? seat.owner) !== seat.owner
  const problem = refuseChange(change, before, elsewhere ? { seen } : undefined)
  if (problem?.conflict === true) return conflict(runtime, seat, tool, name, problem.text)
  if (problem !== undefined) return refuse(problem.text)
  const size = seat.workspace.size() + growth(change, before)
  if (size > maxSize && growth(change, before) > 0) {
    return refuse(
      `The workspace would hold ${size} characters, over its limit of ${maxSize}. Delete or shorten files first.`,
    )
  }

  const operation = seat.workspace.commit(change, seat.owner)
  if (operation === undefined) return refuse(`Could not change ${name}.`)
  if (!(await seat.workspace.save(operation)))
    return conflict(runtime, seat, tool, name, `${name} was changed by another process while you worked.`)
  const after = seat.workspace.read(name)
  report(runtime, { delta: { files: deltaOf(name, before, after) } })
  const note = elsewhere ? ' Another agent changed this file too; both changes are in it.' : ''
  return answer(runtime, {
    tool,
    text: describeChange(change, before) + note,
    changes: changesOf(seat, [operation], [name]),
  })
}

/**
 * The state update for operations that are already committed; those that a backend keeps are not in the state. The main agent's channel replays them. A sub-agent keeps
 * them for its caller, and its own copy of the touched files is brought up to what the workspace now holds.
 */
export function changesOf(
  seat: Seat,
  operations: readonly FileOperation[],
  touched: Iterable<string>,
): { files: readonly FileOperation[]; _fileOperations?: readonly FileOperation[] } {
  const inState = operations.filter(({ name }) => !seat.workspace.isKept(name))
  if (seat.owner === '') return { files: inState }
  const files = Array.from(touched, (name): FileOperation => {
    const content = seat.workspace.read(name)
    const stamp = nextStamp()
    return content === undefined ? { op: 'delete', name, stamp } : { op: 'write', name, content, stamp }
  })
  return inState.length === 0 ? { files } : { files, _fileOperations: inState }
}

interface Problem {
  readonly text: string
  readonly conflict?: boolean
}

/** Why a change is not made. `other` is there when another agent changed the file since this one saw it. */
function refuseChange(
  change: FileChange,
  now: string | undefined,
  other: { seen: string | undefined } | undefined,
): Problem | undefined {
  const { name } = change
  switch (change.op) {
    case 'write':
      if (other === undefined || now === undefined || now === change.content) return undefined
      return {
        conflict: true,
        text: `${name} was changed by another agent while you worked. It was not overwritten.`,
      }
    case 'delete':
      if (now === undefined) return { text: `File ${name} not found.` }
      if (other === undefined) return undefined
      return {
        conflict: true,
        text: `${name} was changed by another agent while you worked. It was not deleted.`,
      }
    case 'edit': {
      if (now === undefined) {
        return other?.seen === undefined
          ? { text: `File ${name} not found. Create it with write_file.` }
          : { conflict: true, text: `${name} was deleted by another agent while you worked.` }
      }
      if (change.old === '') return { text: 'old_string is empty; give the exact text to replace.' }
      if (change.old === change.new)
        return { text: 'old_string and new_string are the same; nothing would change.' }
      const found = countOccurrences(now, change.old)
      if (found === 1 || (found > 1 && change.all)) return undefined
      const fitted = other?.seen !== undefined && countOccurrences(other.seen, change.old) > 0
      if (fitted) {
        return {
          conflict: true,
          text: `${name} was changed by another agent while you worked, and your edit no longer fits.`,
        }
      }
      if (found === 0) {
        const text = `The text to replace was not found in ${name}: ${quote(change.old)}.`
        return { text: text + hintAtLineBreaks(now, change.old) }
      }
      return {
        text: `The text to replace occurs ${found} times in ${name}: ${quote(change.old)}. Give more of the text around it, or set replace_all.`,
      }
    }
  }
}

/** `read_file` does not show them, so a model cannot see why its lines do not match. */
function hintAtLineBreaks(now: string, old: string): string {
  const fits = old.includes('\n') && now.includes(old.replaceAll(/\r?\n/g, '\r\n'))
  return fits ? ' The lines of this file end in "\\r\\n": write them so in old_string and new_string.' : ''
}

function conflict(runtime: AgentRuntime, seat: Seat, tool: string, name: string, text: string): Command {
  report(runtime, { warning: { code: 'file-conflict', message: text, file: name, tool } })
  return answer(runtime, {
    tool,
    text: `Conflict: ${text} Read it with read_file, then decide again.`,
    failed: true,
    changes: seat.owner === '' ? {} : changesOf(seat, [], [name]),
  })
}

function describeChange(change: FileChange, before: string | undefined): string {
  switch (change.op) {
    case 'write':
      return before === undefined ? `Created file ${change.name}.` : `Updated file ${change.name}.`
    case 'delete':
      return `Deleted file ${change.name}.`
    case 'edit': {
      const count = countOccurrences(before ?? '', change.old)
      return count === 1
        ? `Replaced the text in ${change.name}.`
        : `Replaced ${count} occurrences of the text in ${change.name}.`
    }
  }
}

function growth(change: FileChange, before: string | undefined): number {
  switch (change.op) {
    case 'write':
      return change.content.length - (before?.length ?? 0)
    case 'delete':
      return -(before?.length ?? 0)
    case 'edit':
      return (change.new.length - change.old.length) * countOccurrences(before ?? '', change.old)
  }
}

function deltaOf(name: string, before: string | undefined, after: string | undefined) {
  if (after === undefined) return { removed: [name] }
  return before === undefined ? { added: { [name]: after } } : { changed: { [name]: after } }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${cutText(text, 120)}…` : text)
}
