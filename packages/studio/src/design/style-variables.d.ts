import 'react'

declare module 'react' {
  // Custom properties are set through the style object, which a strict CSP allows.
  interface CSSProperties {
    [variable: `--${string}`]: string | number | undefined
  }
}
