import { useState, type ReactNode } from 'react'
import { explain } from '../connection/explain.ts'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'

interface FormDialogProps extends DialogProps {
  /** What the button says that submits. */
  readonly submit: string
  readonly isReady: boolean
  readonly onSubmit: () => Promise<void>
}

/** A dialog with a form. It closes when it was submitted, and stays with a word about what went wrong. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { submit, isReady, onSubmit, children, ...dialog } = props
  const [problem, setProblem] = useState('')

  async function save(): Promise<void> {
    try {
      await onSubmit()
      dialog.onClose()
    } catch (error) {
      const { message, hint } = explain(error)
      setProblem(`${message} ${hint}`.trim())
    }
  }
  return (
    <Dialog {...dialog}>
      <form
        className="cw-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {children}
        {problem !== '' && (
          <p className="cw-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="cw-dialog-actions">
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
