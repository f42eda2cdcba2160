import { Component, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'

interface Props {
  readonly children: ReactNode
}

// Chrome's, Firefox's and Safari's words for a part that could not be fetched: no server, or a newer one.
const NOT_FETCHED = /dynamically imported module|importing a module script/i

/** What broke is said instead of a white page. A class, because React asks for one here. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null }

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    if (NOT_FETCHED.test(error.message)) {
      return (
        <div className="cw-empty" role="alert">
          <h3>This part of the page could not be loaded</h3>
          <p>The server is not there, or it has a newer version of this page. Threads are safe in its log.</p>
          <Button onClick={() => window.location.reload()}>Load the page again</Button>
        </div>
      )
    }
    return (
      <div className="cw-empty" role="alert">
        <h3>This part of the page broke</h3>
        <p>{error.message}</p>
        <p>The thread is not harmed: it lives in the server&apos;s log.</p>
        <Button onClick={() => this.setState({ error: null })}>Show it again</Button>
      </div>
    )
  }
}
