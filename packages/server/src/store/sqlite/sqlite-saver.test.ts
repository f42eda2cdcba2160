import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { validate } from '@langchain/langgraph-checkpoint-validation'
import { openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { SqliteSaver } from './sqlite-saver.ts'

// LangGraph's own suite for savers. It expects vitest's names as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test })

validate({
  checkpointerName: 'SqliteSaver of Clewline',
  createCheckpointer() {
    const database = openDatabase(':memory:')
    migrate(database)
    return new SqliteSaver(database)
  },
})
