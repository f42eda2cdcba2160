import { defineConfig } from 'vitest/config'

// Workspace packages are tested from their source. vitest also hands these to Node, so `import` must not be among them.
const conditions = ['source', 'node']
const tests = ['packages/*/src/**/*', 'packages/*/browser/**/*', 'examples/*/**/*', 'scripts/**/*']
const skipped = ['**/node_modules/**', '**/dist/**']

// Two projects: `unit` is what `npm test` runs; `heavy` needs minutes, a browser, Python or a database server.
export default defineConfig({
  // Its warnings are about the source maps of packages that it is told to inline below.
  logLevel: 'error',
  test: {
    // Node is told of the condition `source` too, and eventsource-parser has files of TypeScript under it.
    server: {
      deps: {
        inline: [
          /eventsource|@modelcontextprotocol|@langchain\/mcp-adapters/,
          /@copilotkit\/runtime|@ai-sdk|@ag-ui\/mcp|node_modules\/ai\//,
        ],
      },
    },
    // A busy machine is no failure: a condition that is awaited gets its time.
    expect: { poll: { timeout: 30_000 } },
    // By default vitest leaves one core idle, which of two is half of the machine.
    maxWorkers: '100%',
    reporters: ['default', './scripts/closing-line.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: tests.map((path) => `${path}.test.{ts,tsx}`),
          exclude: [...skipped, '**/*.heavy.test.*'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: tests.map((path) => `${path}.heavy.test.{ts,tsx}`),
          exclude: skipped,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
})
