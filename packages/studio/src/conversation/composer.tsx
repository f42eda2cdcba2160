import { ArrowUp, Clock, Square } from 'lucide-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { explain } from '../connection/explain.ts'
import { Button } from '../design/button.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { usePage, useView } from '../store/page-context.ts'

/** Where a message is written. Enter sends, Shift+Enter breaks the line; while a run is on, the message waits its turn. */
export function Composer(props: {
  readonly isBusy: boolean
  /** What stands beside the text: an agent picker, say. */
  readonly extra?: ReactNode
  /** Offers to send the message later; `sent` empties the box once that is arranged. */
  readonly onLater?: (text: string, sent: () => void) => void
}): ReactNode {
  const { actions, agent } = usePage()
  const hasQuestions = useView().interrupts.length > 0
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const [isStopping, setStopping] = useState(false)
  if (actions === undefined) return null
  const { send, stop } = actions

  async function submit(): Promise<void> {
    const message = text.trim()
    if (message === '') return
    setText('')
    setProblem('')
    try {
      await send(message, { agent })
    } catch (error) {
      setText(message)
      const { message: what, hint } = explain(error)
      setProblem(`${what} ${hint}`)
    }
  }
  async function halt(): Promise<void> {
    setStopping(true)
    try {
      await stop()
    } catch (error) {
      setProblem(explain(error).message)
    } finally {
      setStopping(false)
    }
  }
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void submit()
  }

  return (
    <div className="cw-composer">
      <div className="cw-composer-box">
        <textarea
          aria-label="Message"
          placeholder={
            hasQuestions ? 'A new message leaves the open question behind' : `Message ${agent || 'the agent'}`
          }
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
        />
        <div className="cw-composer-row">
          {props.extra}
          <span
            className={problem === '' ? 'cw-hint' : 'cw-problem'}
            role={problem === '' ? undefined : 'alert'}
          >
            {problem || (props.isBusy ? 'Running. A message now waits its turn.' : '')}
          </span>
          {props.onLater !== undefined && (
            <IconButton
              label="Run later or on a schedule"
              onClick={() => props.onLater?.(text, () => setText(''))}
            >
              <Clock size={15} />
            </IconButton>
          )}
          {props.isBusy && (
            <Button size="small" disabled={isStopping} onClick={() => void halt()}>
              <Square size={11} fill="currentColor" aria-hidden />
              {isStopping ? 'Stopping' : 'Stop'}
            </Button>
          )}
          <Button
            look="primary"
            size="small"
            aria-label="Send"
            disabled={text.trim() === ''}
            onClick={() => void submit()}
          >
            <ArrowUp size={14} aria-hidden />
          </Button>
        </div>
      </div>
    </div>
  )
}
