import { HumanMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { createResearchAgent } from './create-research-agent.ts'

const ask = (content: string) => ({ messages: [new HumanMessage(content)] })
const decide = (decision: Record<string, unknown>) => new Command({ resume: { decisions: [decision] } })

function start() {
  const agent = createResearchAgent({ paceMs: 0, checkpointer: new MemorySaver() })
  return { agent, config: { configurable: { thread_id: 'thread' } } }
}

describe('the research agent with the scripted model', () => {
  it('plans, researches in parallel, drafts, takes criticism, and waits for approval', async () => {
    const { agent, config } = start()
    const paused = await agent.invoke(ask('How do heat pumps work in cold climates?'), config)
    const state = await agent.getState(config)

    expect(Object.keys(paused.files).sort()).toEqual([
      'final_report.md',
      'notes_1_heat-pumps.md',
      'notes_2_cold-climates.md',
      'notes_3_heat-pumps-and-cold-climates.md',
      'question.md',
      'sources.md',
    ])
    // Three researchers edited their own line of one file at the same time.
    expect(paused.files['sources.md']).not.toContain('at work')
    expect(paused.files['sources.md']?.trim().split('\n')).toHaveLength(3)
    const report = paused.files['final_report.md']
    expect(report).toContain('## Summary\n\nHeat pumps work in cold climates: around and below freezing')
    expect(report).toContain('Propane boils at −42 °C')
    expect(report).not.toContain('This report looks at')
    expect(report).toContain('## Open questions')
    expect(report).toContain('not verified')
    expect(paused.todos.map((todo) => todo.status)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
      'in_progress',
    ])
    expect(state.tasks.flatMap((task) => task.interrupts)).toMatchObject([
      { value: { actionRequests: [{ name: 'publish_report', args: { file_path: 'final_report.md' } }] } },
    ])
  })

  it('publishes after approval, and answers what is asked later from the files', async () => {
    const { agent, config } = start()
    await agent.invoke(ask('How do heat pumps work in cold climates?'), config)
    const done = await agent.invoke(decide({ type: 'approve' }), config)
    expect(done.todos.every((todo) => todo.status === 'completed')).toBe(true)
    expect(done.messages.at(-1)?.text).toContain('Published "How do heat pumps work in cold climates"')

    const later = await agent.invoke(ask('What did you write about defrosting?'), config)
    expect(later.messages.at(-1)?.text).toMatch(/^From the report:[^]*defrosting takes part of the heat back/)
    const unknown = await agent.invoke(ask('And bananas?'), config)
    expect(unknown.messages.at(-1)?.text).toContain('does not speak of that')
  })

  it('notes a rejection, does not publish, and publishes when it is told to after all', async () => {
    const { agent, config } = start()
    await agent.invoke(ask('Compare Postgres and SQLite for a small team'), config)
    const rejected = await agent.invoke(decide({ type: 'reject', message: 'Too long.' }), config)
    expect(rejected.files['final_report.md']).toContain('The reviewer said: Too long.')
    expect(rejected.messages.at(-1)?.text).toContain('I did not publish')
    expect(rejected.messages.some((message) => message.text.startsWith('Published'))).toBe(false)

    await agent.invoke(ask('Now publish it, please'), config)
    const published = await agent.invoke(decide({ type: 'approve' }), config)
    expect(published.messages.at(-1)?.text).toMatch(/^Published/)
  })

  it('publishes under the title that the human gave it', async () => {
    const { agent, config } = start()
    await agent.invoke(ask('Rust'), config)
    const editedAction = { name: 'publish_report', args: { file_path: 'final_report.md', title: 'On Rust' } }
    const done = await agent.invoke(decide({ type: 'edit', editedAction }), config)
    expect(done.messages.at(-1)?.text).toContain('Published "On Rust"')
  })

  it('starts anew in the same thread when asked to research something else', async () => {
    const { agent, config } = start()
    await agent.invoke(ask('Rust'), config)
    await agent.invoke(decide({ type: 'approve' }), config)
    const next = await agent.invoke(ask('Research tea ceremonies in Japan'), config)
    expect(next.files['final_report.md']).toContain('tea ceremonies')
    expect(Object.keys(next.files)).toContain('notes_2_japan.md')
  })

  it('has something to say on both sides of a comparison that it knows, whichever comes first', async () => {
    for (const question of ['Compare SQLite and Postgres for a log', 'Postgres or SQLite?']) {
      const { agent, config } = start()
      const { files } = await agent.invoke(ask(question), config)
      const report = files['final_report.md']
      expect(report).toContain('Take SQLite while one machine writes')
      expect(report).toContain('## The case for SQLite\n\nSQLite is a library')
      expect(report).toContain('## The case for Postgres\n\nPostgres is a server')
    }
  })

  it('says in general what matters when it knows nothing of the subject', async () => {
    const { agent, config } = start()
    const { files } = await agent.invoke(ask('How do tea ceremonies work in Japan?'), config)
    expect(files['final_report.md']).toContain(
      'In short, the answer to "How do tea ceremonies work in Japan"',
    )
  })

  it('answers small talk without a plan', async () => {
    const { agent, config } = start()
    const result = await agent.invoke(ask('Hi!'), config)
    expect(result.todos).toEqual([])
    expect(result.messages).toHaveLength(2)
    expect(result.messages.at(-1)?.text).toContain('Hello!')
  })

  it.each([
    '最新の電池技術について教えてください',
    'Was ist Föderalismus?',
    'a '.repeat(300),
    '/etc/passwd ../..',
    '{{x}} $& `rm`',
    'C++ vs. Rust',
  ])('gets through to the approval with %j', async (question) => {
    const { agent, config } = start()
    const result = await agent.invoke(ask(question), config)
    const failures = result.messages.filter((message) => 'status' in message && message.status === 'error')
    expect(failures.map((message) => message.text)).toEqual([])
    const smallTalk = result.messages.at(-1)?.text.startsWith('Hello!') === true
    expect(smallTalk || result.files['final_report.md'] !== undefined).toBe(true)
  })
})
