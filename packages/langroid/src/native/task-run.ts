import { z } from 'zod'
import {
  apiCalls,
  chatDocument,
  isEmptyDocument,
  type ChatDocument,
  type TaskStatus,
} from './chat-document.ts'
import { cycleDetector, InfiniteLoopError } from './cycle-detector.ts'
import { endsWithSequence, type Said } from './done-sequence.ts'
import { findTools, isForOthers, isToolAttempt } from './find-tools.ts'
import { noJournal } from './journal.ts'
import { endsTask } from './orchestration.ts'
import { beginsWithRoute, PASS, parseRouting } from './parse-routing.ts'
import { DONE, taskResult } from './task-result.ts'
import type { Responder, Task, TaskRunOptions } from './task.ts'
import { UserAwaited } from './user-awaited.ts'

const NO_ANSWER = 'DO-NOT-KNOW'
const QUIT_WORDS = new Set(['q', 'x', 'quit', 'exit', 'bye', DONE])

type Speaker = Responder | Task

/** Which task called this one, and how deep it is. */
interface Caller {
  readonly task: Task
  readonly depth: number
}

/** The loop of a task, as Langroid 0.65's: one valid answer per step, until a rule says that it is done. */
export async function runTask(
  task: Task,
  message: string | ChatDocument,
  options: TaskRunOptions,
  caller?: Caller,
): Promise<ChatDocument | null> {
  const { agent, config } = task
  const depth = caller === undefined ? 0 : caller.depth + 1
  const signals = config.recognizeStringSignals ?? true
  const passWord = signals ? PASS : ''
  const journal = options.journal ?? noJournal
  const cycles = cycleDetector(config.cycles)
  const speakers: readonly Speaker[] = ['Agent', 'LLM', ...task.subTasks]
  const chain: Said[] = []
  // A sub-task has rounds of its own, and the client answers the main agent only.
  const { turns: _turns, extraTools: _tools, isSuspended: _suspended, ...forSubTasks } = options
  const observation = options.observerOf === undefined ? {} : { observe: options.observerOf(agent) }
  let pending = opening(message)
  let pendingSender: Speaker | 'System' = 'User'
  let lastSpeaker: Speaker | undefined
  let stalled = 0
  let isDone = false
  let wasUserTried = false
  let noAnswerStep = -5
  let noAnswerTurns = 0

  function opening(given: string | ChatDocument): ChatDocument {
    if (typeof given === 'string') return chatDocument({ content: given, sender: 'User', tainted: true })
    if (caller === undefined) return given
    return { ...given, sender: 'User', senderName: caller.task.name, parent: given.parent ?? given }
  }

  function canUserRespond(): boolean {
    if (config.interactive ?? false) return true
    return isEntity(pending.recipient, 'User') && !isToolAttempt(agent, pending)
  }

  /** The user alone ends a task that talks to it. */
  function isUsersToEnd(): boolean {
    return depth === 0 && (config.onlyUserQuitsRoot ?? true) && canUserRespond()
  }

  function saysDone(document: ChatDocument | null, speaker: Speaker): boolean {
    const isEmpty = isEmptyDocument(document, passWord)
    if (typeof speaker === 'string') {
      if (config.doneIfResponse?.includes(speaker) && !isEmpty) return true
      if (config.doneIfNoResponse?.includes(speaker) && isEmpty) return true
    }
    if (isEmpty || document === null) return false
    const isSaid = signals && document.content.includes(DONE)
    return isSaid || (speaker === 'Agent' && document.toolMessages.some(endsTask))
  }

  function verdict(document: ChatDocument, speaker: Speaker | undefined): TaskStatus | undefined {
    if (config.doneIfTool && findTools(agent, document).all.length > 0) return 'DONE'
    const whole = chain.at(-1)?.document === document ? chain : [...chain, said(document)]
    if (task.doneSequences.some((sequence) => endsWithSequence(whole, sequence, kindOf(speaker))))
      return 'DONE'
    const isSaid = signals && document.content.includes(DONE)
    const hasEnd = isSaid || document.toolMessages.some(endsTask)
    const isQuit = document.sender === 'User' && (QUIT_WORDS.has(document.content) || hasEnd)
    if (stalled >= (config.maxStalledSteps ?? 5)) return 'STALLED'
    if (isUsersToEnd()) return isQuit ? 'USER_QUIT' : undefined
    if (isDone) return 'DONE'
    if (hasEnd || isQuit) return 'OK'
    if (caller !== undefined && document.recipient === caller.task.name) return 'OK'
    return undefined
  }

  function said(document: ChatDocument): Said {
    return { document, tools: findTools(agent, document).all.map(({ name }) => name) }
  }

  function canRespond(speaker: Speaker): boolean {
    if (speaker === pendingSender || (speaker === 'User' && !canUserRespond())) return false
    if (typeof speaker !== 'string' && isForOthers(speaker.agent, pending)) return false
    const { recipient } = pending
    const isAddressed =
      typeof speaker === 'string' ? isEntity(recipient, speaker) : recipient === speaker.name
    if (recipient !== '' && !isAddressed && recipient !== task.name) return false
    return pending.block === undefined || pending.block !== speaker
  }

  function isKnown(recipient: string): boolean {
    const names = [task.name, 'User', ...speakers.map((one) => (typeof one === 'string' ? one : one.name))]
    return names.some((name) => name.toLowerCase() === recipient.toLowerCase())
  }

  async function respond(speaker: Speaker): Promise<ChatDocument | null> {
    if (speaker === 'Agent') return await agent.agentResponse(pending, options)
    if (speaker === 'User') return await userResponse()
    if (speaker !== 'LLM') return await subTaskResponse(speaker)
    const answer = await agent.llmResponse(pending, { ...options, ...observation })
    return answer === null ? null : { ...answer, toolMessages: findTools(agent, answer).mine }
  }

  async function userResponse(): Promise<ChatDocument | null> {
    const isNeeded = isEntity(pending.recipient, 'User')
    const answer = await journal.once(`user of ${task.name}`, async () => {
      const given = await (config.userResponse ?? options.userResponse)?.(pending, task.name)
      if (given === undefined) throw new UserAwaited(task.name, pending, depth)
      return { user: given ?? '' }
    })
    const text = z.object({ user: z.string() }).parse(answer).user.trim()
    if (text === '' && !isNeeded) return null
    if (text.startsWith('SYSTEM'))
      return chatDocument({ content: text.replaceAll('SYSTEM', '').trim(), sender: 'System' })
    return chatDocument({ content: text === '' ? 'null' : text, sender: 'User', tainted: true })
  }

  async function subTaskResponse(sub: Task): Promise<ChatDocument | null> {
    if (pending.recipient !== '' && pending.recipient !== sub.name) return null
    await options.onStep?.({ type: 'task-start', task: sub.name })
    const result = await runTask(sub, pending, forSubTasks, { task, depth })
    await options.onStep?.({ type: 'task-end', task: sub.name, result })
    if (result === null) return null
    const results = apiCalls(pending).map((use) => ({ id: use.id, content: result.content }))
    return { ...result, results, toolMessages: findTools(agent, result).mine }
  }

  /** Reads routing words: a pass may readdress the pending message, a send addresses the answer. */
  function routed(answer: ChatDocument | null): ChatDocument | null {
    if (answer === null || !signals) return answer
    if (isToolAttempt(agent, answer) && !beginsWithRoute(answer.content)) return answer
    const route = parseRouting(answer.content, config.addressingPrefix)
    switch (route.type) {
      case 'none':
        return answer
      case 'send':
        return { ...answer, recipient: route.recipient, content: route.content }
      case 'pass':
        if (route.recipient === null) return answer
        pending = { ...pending, recipient: route.recipient }
        return { ...answer, content: PASS }
    }
  }

  function accept(document: ChatDocument, speaker: Speaker, step: number): void {
    noteNoAnswer(document, step)
    lastSpeaker = speaker
    if (document.content.includes(PASS)) stalled++
    else {
      pendingSender = typeof speaker === 'string' ? document.sender : speaker
      pending = { ...document, parent: document.parent ?? pending }
      stalled = 0
    }
    if (saysDone(document, speaker) && isUsersToEnd())
      pending = { ...pending, toolMessages: pending.toolMessages.filter((use) => !endsTask(use)) }
    const { sender, recipient, content, tools } = pending
    cycles.add(JSON.stringify([sender, recipient, content, tools.map((use) => [use.name, use.args])]))
  }

  function noteNoAnswer({ content }: ChatDocument, step: number): void {
    if (!content.includes(NO_ANSWER)) return
    noAnswerTurns = noAnswerStep === step - 2 ? noAnswerTurns + 1 : 0
    noAnswerStep = step
  }

  async function report(document: ChatDocument, speaker: Speaker): Promise<void> {
    const responder = typeof speaker === 'string' ? speaker : speaker.name
    await options.onStep?.({ type: 'answer', task: task.name, responder, document })
  }

  async function step(index: number): Promise<void> {
    isDone = false
    if (pending.recipient !== '' && !isKnown(pending.recipient)) {
      const problem = chatDocument({ sender: 'Agent', content: `Invalid recipient: ${pending.recipient}` })
      accept(problem, 'Agent', index)
      return await report(problem, 'Agent')
    }
    let noAnswer: { document: ChatDocument; speaker: Speaker } | undefined
    let isPass = false
    const isUsersTurn = !wasUserTried && !isToolAttempt(agent, pending)
    for (const speaker of isUsersTurn ? (['User', ...speakers] as const) : speakers) {
      isPass = false
      if (!canRespond(speaker)) continue
      wasUserTried = speaker === 'User'
      options.signal?.throwIfAborted()
      const answer = routed(await respond(speaker))
      if (answer?.content.includes(NO_ANSWER)) noAnswer = { document: answer, speaker }
      isDone = saysDone(answer, speaker)
      isPass = answer?.content.includes(PASS) ?? false
      if (answer !== null && isValid(answer, speaker)) {
        const answered = pending
        accept(answer, speaker, index)
        return await report({ ...answer, parent: answer.parent ?? answered }, speaker)
      }
      if (isDone) break
    }
    if (noAnswer !== undefined) return accept(noAnswer.document, noAnswer.speaker, index)
    stalled++
    if (!config.allowNullResult || isPass) return
    const sender = pendingSender === 'User' ? 'LLM' : 'User'
    pending = chatDocument({ content: NO_ANSWER, sender, parent: pending })
    pendingSender = sender
    noteNoAnswer(pending, index)
  }

  function isValid(document: ChatDocument, speaker: Speaker): boolean {
    if (verdict(document, speaker) !== undefined) return true
    const bare = document.content.trim().replaceAll(/[,.!?:]/g, '')
    return !isEmptyDocument(document, passWord) && bare !== NO_ANSWER
  }

  const turns = options.turns ?? (config.singleRound ? 1 : 0)
  for (let index = 0; ;) {
    await step(index)
    if (chain.at(-1)?.document !== pending) chain.push(said(pending))
    const status = verdict(pending, lastSpeaker)
    if (status !== undefined) return taskResult(task, pending, status)
    if (options.isSuspended?.(pending)) return taskResult(task, pending, 'OK')
    index++
    if (turns > 0 && index >= turns) return taskResult(task, pending, 'FIXED_TURNS')
    const mayLoop = cycles.cycleLength > 0 && index % cycles.cycleLength === 0 && cycles.isLoop()
    if (mayLoop || noAnswerTurns > (config.cycles?.patience ?? 5)) throw new InfiniteLoopError(task.name)
  }
}

/** Entities are addressed in any case: "user", "User", "USER". */
function isEntity(recipient: string, entity: Responder): boolean {
  return recipient.toLowerCase() === entity.toLowerCase()
}

function kindOf(speaker: Speaker | undefined): Responder | 'task' | undefined {
  return speaker === undefined || typeof speaker === 'string' ? speaker : 'task'
}
