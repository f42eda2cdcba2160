import { createVerifier, type Violation } from '@clewline/core/check'
import { parseJsonl } from '@clewline/core/read'
import { EXIT, type Command } from './command.ts'
import { openText, write, writeJson } from './io.ts'

/** `clewline verify FILE` */
export const verifyFile: Command = {
  name: 'verify',
  summary: 'Check a recorded stream of envelopes against every rule of the protocol.',
  args: 'FILE',
  options: {
    live: { about: 'The stream still goes on: calls may be open at its end.' },
    json: { about: 'Print {ok, envelopes, calls, problems} as JSON.' },
  },
  details: `FILE is JSONL, one envelope per line; - is standard input. Prints "ok: N envelopes, M calls", or each
problem with its line and the rule of PROTOCOL.md that it breaks. A line that is no envelope is a
problem too; the lines after it are still read. Exit code 1 when there is any.`,
  examples: ['clewline verify run.jsonl', 'clewline export my-thread | clewline verify -'],
  async run(given, io) {
    const [file = '-'] = given.positionals
    const name = file === '-' ? 'stdin' : file
    const verifier = createVerifier({ live: given.flag('live') })
    const calls = new Set<string>()
    const lines: number[] = []
    const problems: Problem[] = []
    const isJson = given.flag('json')

    const report = async (found: readonly Problem[]): Promise<void> => {
      for (const problem of found) {
        problems.push(problem)
        const { line, rule, message } = problem
        if (!isJson) await write(io.stdout, `${name}:${line}: ${rule}: ${message}\n`)
      }
    }
    const located = (violations: readonly Violation[]): readonly Problem[] =>
      violations.map(({ position, rule, message }) => ({ line: lines[position - 1] ?? 0, rule, message }))

    for await (const read of parseJsonl(await openText(file, io))) {
      if ('problem' in read) {
        await report([{ line: read.line, rule: 'not-an-envelope', message: read.problem }])
        continue
      }
      lines.push(read.line)
      calls.add(read.envelope.call_id)
      await report(located(verifier.push(read.envelope)))
    }
    if (io.signal.aborted) return EXIT.stopped
    await report(located(verifier.end()))

    const isOk = problems.length === 0
    const size = `${lines.length} envelopes, ${calls.size} calls`
    if (isJson) await writeJson(io.stdout, { ok: isOk, envelopes: lines.length, calls: calls.size, problems })
    else await write(io.stdout, isOk ? `ok: ${size}\n` : `${counted(problems.length)} in ${size}\n`)
    return isOk ? EXIT.done : EXIT.failed
  },
}

const counted = (problems: number): string => (problems === 1 ? '1 problem' : `${problems} problems`)

interface Problem {
  readonly line: number
  readonly rule: string
  readonly message: string
}
