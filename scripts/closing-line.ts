import type { Reporter, TestModule } from 'vitest/node'

/** Prints `N passed, N failed, N skipped` as the last line of a run: the form that any CI can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      const before = count.failed
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A file that cannot be loaded, or whose set-up throws, has no test to fail.
      if (module.state() === 'failed' && count.failed === before) count.failed += 1
    }
    count.failed += unhandled.length
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped`)
  }
}
