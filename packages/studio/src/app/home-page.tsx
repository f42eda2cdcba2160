import { ArrowRight, FileDown, Menu as MenuIcon } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { explain } from '../connection/explain.ts'
import { Button } from '../design/button.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { chooseFile } from '../replay/choose-file.ts'
import type { Route } from '../routes/route.ts'
import { goTo } from '../routes/use-route.ts'
import { newId } from '../store/new-id.ts'
import type { Directory } from '../threads/directory.ts'
import { client } from '../connection/client.ts'
import { Mark } from './sidebar.tsx'

const DEMO = 'Compare SQLite and Postgres for the event log of an agent runtime'

/** A new thread with any agent; on the first visit, one click shows what this is about. */
export function HomePage(props: {
  readonly route: Extract<Route, { to: 'home' }>
  readonly directory: Directory
  readonly onMenu: () => void
  readonly onOpen: (file: File) => void
}): ReactNode {
  const { directory, route } = props
  const { agents, info, isLoaded, problem: unreachable, threads } = useStore(directory)
  const demo = agents.find(({ name }) => name.includes('research')) ?? agents[0]
  const [chosen, setChosen] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const agent = agents.find(({ name }) => name === (chosen ?? route.agent)) ?? demo

  async function begin(message: string, name: string | undefined): Promise<void> {
    if (message.trim() === '' || name === undefined) return
    setBusy(true)
    setProblem('')
    try {
      const thread = await client.threads.create({ agent: name })
      directory.put(thread)
      const messages = [{ id: newId(), role: 'user', content: message.trim() }]
      await client.runs.create(thread.thread_id, { agent: name, input: { messages } })
      goTo({ to: 'thread', thread: thread.thread_id })
    } catch (error) {
      const { message: what, hint } = explain(error)
      setProblem(`${what} ${hint}`)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="cw-home">
      <IconButton label="Open the menu" className="cw-phone cw-home-menu" onClick={props.onMenu}>
        <MenuIcon size={17} />
      </IconButton>
      <div className="cw-home-inner">
        <span className="cw-home-mark">
          <Mark />
        </span>
        <h1>{threads.length === 0 ? 'See what your agents do' : 'New thread'}</h1>
        <p className="cw-home-lead">
          Every token, tool call and sub-agent of a run, live. Scrub back to any moment of it, later or while
          it runs.
        </p>
        {unreachable !== '' ? (
          <p className="cw-home-note" role="alert">
            {unreachable} Start it with <code>npx clewline start</code>. Recordings open without it.
          </p>
        ) : (
          <form
            className="cw-composer-box cw-home-box"
            onSubmit={(event) => {
              event.preventDefault()
              void begin(text, agent?.name)
            }}
          >
            <textarea
              aria-label="First message"
              placeholder={agent === undefined ? 'No agents yet' : `Message ${agent.name}`}
              rows={2}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                void begin(text, agent?.name)
              }}
            />
            <div className="cw-composer-row">
              <select
                className="cw-select cw-focusable"
                hidden={agents.length === 0}
                aria-label="Agent"
                value={agent?.name ?? ''}
                onChange={(event) => setChosen(event.target.value)}
              >
                {agents.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
              <span className="cw-hint">{agent?.description}</span>
              <Button
                type="submit"
                size="small"
                look="primary"
                disabled={isBusy || text.trim() === '' || agent === undefined}
              >
                Start
              </Button>
            </div>
          </form>
        )}
        {problem !== '' && (
          <p className="cw-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="cw-home-actions">
          {demo !== undefined && (
            <button
              type="button"
              className="cw-offer cw-focusable"
              disabled={isBusy || unreachable !== ''}
              onClick={() => void begin(DEMO, demo.name)}
            >
              <span>
                <b>Run the research demo</b>
                <span>
                  A plan, parallel researchers, files and a report
                  {info?.scripted ? ', with a scripted offline model.' : '.'}
                </span>
              </span>
              <ArrowRight size={16} aria-hidden />
            </button>
          )}
          <button type="button" className="cw-offer cw-focusable" onClick={() => chooseFile(props.onOpen)}>
            <span>
              <b>Open a recording</b>
              <span>Drop a JSONL anywhere. It stays in this browser.</span>
            </span>
            <FileDown size={16} aria-hidden />
          </button>
        </div>
        {isLoaded && agents.length === 0 && unreachable === '' && (
          <p className="cw-home-note">
            This server has no agents yet. Name them in <code>clewline.config.ts</code> and start it again.
          </p>
        )}
      </div>
    </div>
  )
}
