import { chatDocument, isEmptyDocument, type ChatDocument, type TaskStatus } from './chat-document.ts'
import { cycleDetector, InfiniteLoopError } from './cycle-detector.ts'
import { endsWithSequence, type Said } from './done-sequence.ts'
import { PASS, parseRouting } from './parse-routing.ts'
import type { Responder, Task, TaskRunOptions } from './task.ts'

const DONE = 'DONE'
const NO_ANSWER = 'DO-NOT-KNOW'
const QUIT_WORDS = new Set(['q', 'x', 'quit', 'exit', 'bye', DONE])

type Speaker = Responder | Task

/** The loop of a task: one valid answer per step, until a rule says that it is done. */
export async function runTask(
  task: Task,
  message: string | ChatDocument,
  options: TaskRunOptions,
  caller?: Task,
): Promise<ChatDocument | null> {
  const { agent, config } = task
  const signals = config.recognizeStringSignals ?? true
  const passWord = signals ? PASS : ''
  const cycles = cycleDetector(config.cycles)
  const speakers: readonly Speaker[] = ['Agent', 'LLM', ...task.subTasks]
  const chain: Said[] = []
  const first = opening(message)
  // A sub-task has rounds of its own, and the client answers the main agent only.
  const { turns: _turns, extraTools: _tools, isSuspended: _suspended, ...forSubTasks } = options
  const observation = options.observerOf === undefined ? {} : { observe: options.observerOf(agent) }
  let pending = first
  let pendingSender: Speaker = 'User'
  let stalled = 0
  let isDone = false
  let noAnswerStep = -5
  let noAnswerTurns = 0

  function opening(given: string | ChatDocument): ChatDocument {
    if (typeof given === 'string') return chatDocument({ content: given, sender: 'User', tainted: true })
    return caller === undefined ? given : { ...given, sender: 'User', senderName: caller.name }
  }

  function saysDone(document: ChatDocument | null, speaker: Speaker): boolean {
    const isEmpty = isEmptyDocument(document, passWord)
    if (typeof speaker === 'string') {
      if (config.doneIfResponse?.includes(speaker) && !isEmpty) return true
      if (config.doneIfNoResponse?.includes(speaker) && isEmpty) return true
    }
    if (isEmpty || document === null) return false
    return hasDoneSignal(document)
  }

  function hasDoneSignal(document: ChatDocument): boolean {
    const kind = document.signal?.kind
    return kind === 'done' || kind === 'final' || (signals && document.content.includes(DONE))
  }

  function verdict(document: ChatDocument, speaker: Speaker): TaskStatus | undefined {
    if (config.doneIfTool && document.tools.length > 0) return 'DONE'
    const said: Said = { document, responder: typeof speaker === 'string' ? speaker : 'task' }
    const last = chain.at(-1)
    const whole = last?.document === document ? chain : [...chain, said]
    if (task.doneSequences.some((sequence) => endsWithSequence(whole, sequence))) return 'DONE'
    if (stalled >= (config.maxStalledSteps ?? 5)) return 'STALLED'
    if (isDone) return 'DONE'
    if (document !== first && hasDoneSignal(document)) return 'OK'
    if (document !== first && document.sender === 'User' && QUIT_WORDS.has(document.content))
      return 'USER_QUIT'
    if (caller !== undefined && document !== first && document.recipient === caller.name) return 'OK'
    return undefined
  }

  function canRespond(speaker: Speaker): boolean {
    if (speaker === pendingSender) return false
    if (pending.block !== undefined && pending.block === speaker) return false
    if (typeof speaker !== 'string') {
      const handles = pending.tools.some((use) => speaker.agent.toolsHandled.has(use.name))
      if (pending.tools.length > 0 && !handles) return false
    }
    const { recipient } = pending
    if (recipient === '') return true
    const name = typeof speaker === 'string' ? speaker : speaker.name
    return recipient.toLowerCase() === name.toLowerCase() || recipient === task.name
  }

  async function respond(speaker: Speaker): Promise<ChatDocument | null> {
    if (speaker === 'Agent') return await agent.agentResponse(pending, options)
    if (speaker === 'LLM') return await agent.llmResponse(pending, { ...options, ...observation })
    if (speaker === 'User') {
      const text = await config.userResponse?.(pending)
      return text === null || text === undefined ? null : chatDocument({ content: text, sender: 'User' })
    }
    await options.onStep?.({ type: 'task-start', task: speaker.name })
    const result = await runTask(speaker, pending, forSubTasks, task)
    await options.onStep?.({ type: 'task-end', task: speaker.name, result })
    if (result === null) return null
    const open = pending.tools.filter((use) => use.via === 'api')
    return { ...result, results: open.map((use) => ({ id: use.id, content: result.content })) }
  }

  function accept(document: ChatDocument, speaker: Speaker, step: number): void {
    if (document.content.includes(NO_ANSWER)) {
      noAnswerTurns = noAnswerStep === step - 2 ? noAnswerTurns + 1 : 0
      noAnswerStep = step
    }
    if (document.signal?.kind === 'pass') {
      if (document.recipient !== '') pending = { ...pending, recipient: document.recipient }
      stalled++
      return
    }
    pending = document
    pendingSender = typeof speaker === 'string' && document.sender !== 'System' ? document.sender : speaker
    stalled = 0
    chain.push({ document, responder: typeof speaker === 'string' ? speaker : 'task' })
    cycles.add(
      JSON.stringify([pending.sender, pending.content, pending.tools.map((use) => [use.name, use.args])]),
    )
  }

  async function step(index: number): Promise<void> {
    isDone = false
    let noAnswer: { document: ChatDocument; speaker: Speaker } | undefined
    for (const speaker of pending.recipient === 'User' ? (['User'] as const) : speakers) {
      if (!canRespond(speaker)) continue
      options.signal?.throwIfAborted()
      const answer = await respond(speaker)
      const routed = answer === null || !signals ? answer : parseRouting(answer)
      if (routed !== null && routed.content.includes(NO_ANSWER)) noAnswer = { document: routed, speaker }
      isDone = saysDone(routed, speaker)
      if (routed !== null && isValid(routed, speaker)) {
        accept(routed, speaker, index)
        await options.onStep?.({
          type: 'answer',
          task: task.name,
          responder: typeof speaker === 'string' ? speaker : speaker.name,
          document: routed,
        })
        return
      }
      if (isDone) break
    }
    if (noAnswer !== undefined) {
      accept(noAnswer.document, noAnswer.speaker, index)
      return
    }
    stalled++
    if (config.allowNullResult) {
      const sender = pendingSender === 'User' ? 'LLM' : 'User'
      pending = chatDocument({ content: NO_ANSWER, sender })
      pendingSender = sender
    }
  }

  function isValid(document: ChatDocument, speaker: Speaker): boolean {
    if (verdict(document, speaker) !== undefined) return true
    const isPass = document.signal?.kind === 'pass'
    const bare = document.content.trim().replaceAll(/[,.!?:]/g, '')
    return (isPass || !isEmptyDocument(document, passWord)) && bare !== NO_ANSWER
  }

  function result(status: TaskStatus): ChatDocument | null {
    if (status === 'STALLED' || status === 'MAX_TURNS') return null
    const signal = pending.signal
    const isEnded = signal?.kind === 'done' || signal?.kind === 'final'
    const content = isEnded ? signal.content : pending.content
    return chatDocument({
      content: signals && content.includes(DONE) ? content.replaceAll(DONE, '').trim() : content,
      sender: 'User',
      senderName: task.name,
      recipient: pending.recipient,
      tools: isEnded ? signal.tools : pending.tools,
      results: pending.results,
      status,
      tainted: pending.tainted,
      // A final result ends the caller too; a plain one must not.
      ...(signal?.kind === 'final' && { signal }),
    })
  }

  const turns = options.turns ?? (config.singleRound ? 1 : 0)
  for (let index = 0; ;) {
    await step(index)
    const status = verdict(pending, pendingSender)
    if (status !== undefined) return result(status)
    if (options.isSuspended?.(pending)) return result('OK')
    if (pending.recipient === 'User' && config.userResponse === undefined) return result('OK')
    index++
    if (turns > 0 && index >= turns) return result('FIXED_TURNS')
    const mayLoop = cycles.cycleLength > 0 && index % cycles.cycleLength === 0 && cycles.isLoop()
    if (mayLoop || noAnswerTurns > (config.cycles?.patience ?? 5)) throw new InfiniteLoopError(task.name)
  }
}
