import { readJsonl } from '@clewline/core/read'
import { EXIT, type Command } from './command.ts'
import { openText, write, writeAll } from './io.ts'

/** `clewline adapt FILE` */
export const adaptFile: Command = {
  name: 'adapt',
  summary: 'Turn recorded LangGraph events into envelopes.',
  args: 'FILE',
  options: {
    label: { value: 'NAME', short: 'l', about: 'Name of the graph (default: what the recording calls it).' },
    trace: {
      value: 'ID',
      about: 'trace_id of the envelopes (default: a new one); the same one gives the same call_ids.',
    },
    out: { value: 'FILE', short: 'o', about: 'Write to a file instead of standard output.' },
    json: { about: 'The default: one envelope per line.' },
  },
  details: `FILE is JSONL; - is standard input. Each line is an object of streamEvents v2 ({"event":"on_chain_start",…}) or
a [namespace, mode, chunk] of stream(). What comes out keeps every rule that clewline verify checks; what
the recording cannot tell is said in a warning. A line that is not JSON, or not of one of these forms, is
reported on standard error and left out; the exit code is then 1.`,
  examples: [
    'clewline adapt events.jsonl --label research > run.jsonl',
    'clewline adapt events.jsonl | clewline verify -',
  ],
  async run(given, io) {
    const [file = '-'] = given.positionals
    const { adapt } = await import('@clewline/langgraph')
    const text = await openText(file, io)
    let problems = 0
    let line = 0
    const tell = (problem: string): Promise<void> => {
      problems += 1
      return write(io.stderr, `clewline: ${file === '-' ? 'stdin' : file}:${line}: ${problem}\n`)
    }
    async function* events(): AsyncGenerator {
      for await (const read of readJsonl(text)) {
        line = read.line
        if ('value' in read) yield read.value
        else await tell(read.problem)
      }
    }
    const label = given.text('label')
    const trace_id = given.text('trace')
    const options = {
      ...(label !== undefined && { label }),
      ...(trace_id !== undefined && { trace_id }),
      // An event is asked for when the one before it is done with, so this is about the line that was read last.
      onUnreadable: () => void tell('Not an event of LangGraph.'),
    }
    async function* lines(): AsyncGenerator<string> {
      for await (const envelope of adapt(events(), options)) yield `${JSON.stringify(envelope)}\n`
    }
    await writeAll(lines(), given.text('out'), io)
    if (io.signal.aborted) return EXIT.stopped
    return problems === 0 ? EXIT.done : EXIT.failed
  },
}
