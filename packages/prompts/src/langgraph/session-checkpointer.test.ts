import { validate } from '@langchain/langgraph-checkpoint-validation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSession } from '../session/session.ts'
import { sessionCheckpointer } from './session-checkpointer.ts'

// LangGraph's own conformance suite for checkpointers; it looks for its runner in the global scope.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })

validate({
  checkpointerName: 'sessionCheckpointer',
  createCheckpointer: () => sessionCheckpointer(createSession()),
})
