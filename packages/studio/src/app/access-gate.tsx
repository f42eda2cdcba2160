import { useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import type { Directory } from '../threads/directory.ts'
import { settings } from '../settings.ts'

/** Asks for the access token where the server wants one, and reloads with it. */
export function AccessGate({
  directory,
  children,
}: {
  readonly directory: Directory
  readonly children: ReactNode
}): ReactNode {
  const status = useStore(directory, (state) => state.status)
  const [token, setToken] = useState('')
  const isRefused =
    status.type === 'refused' && (status.code === 'unauthorized' || status.code === 'forbidden')
  const [isDismissed, setDismissed] = useState(false)
  return (
    <>
      {children}
      {isRefused && !isDismissed && (
        <Dialog
          title="This server asks for a token"
          description="Give the token that it was started with. It is kept in this browser only."
          onClose={() => setDismissed(true)}
        >
          <form
            onSubmit={(event) => {
              event.preventDefault()
              settings.setState({ token: token.trim() })
              window.location.reload()
            }}
          >
            <label className="cw-field">
              Token
              <input
                className="cw-input"
                type="password"
                autoComplete="off"
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            </label>
            <div className="cw-dialog-actions cw-dialog-end">
              <Button type="submit" look="primary" disabled={token.trim() === ''}>
                Connect
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
