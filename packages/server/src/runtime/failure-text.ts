import { inspect } from 'node:util'

/** Takes the cause of a failure, as text, that clients are not shown. */
export type OnFailure = (failure: string) => void

/** The default: the operator's log is standard error. */
export const failureToStderr: OnFailure = (failure) => void process.stderr.write(`clewline: ${failure}\n`)

/** One failure as one entry: what follows the first line is indented, so that no message can look like an entry of its own. */
export function failureText(where: string, cause: unknown): string {
  const text = typeof cause === 'string' ? cause : inspect(cause)
  return `${where}: ${text}`.replaceAll(/[\r\n]+/g, '\n    ')
}
