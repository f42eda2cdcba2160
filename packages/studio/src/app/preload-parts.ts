/**
 * Fetches the parts that are loaded on first use once the page has nothing else to do: a click then waits for nothing,
 * and they are there when the server is not. The editor and the grammars stay out: they are large and seldom needed.
 */
export function preloadParts(): void {
  const whenIdle = 'requestIdleCallback' in window ? window.requestIdleCallback : setTimeout
  whenIdle(() => {
    // Without a server nothing can be fetched; who needs a part then is told so.
    void Promise.allSettled([
      import('../background/background-page.tsx'),
      import('../commands/command-palette.tsx'),
      import('../design/dialog-popup.tsx'),
      import('../design/menu-popup.tsx'),
      import('../replay/compare-page.tsx'),
    ])
  })
}
