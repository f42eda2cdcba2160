import { expect, test } from 'vitest'
import * as langroid from './index.ts'

test('the public surface is this and no more', () => {
  expect(Object.keys(langroid).sort()).toEqual([
    'ChatAgent',
    'LangroidAgent',
    'LanguageModelError',
    'MockLM',
    'OpenAIModel',
    'PythonAgent',
    'Task',
    'ToolMessage',
    'addLangroidEndpoint',
    'addLangroidExpressEndpoint',
    'createLangroidApp',
    'maybeAwait',
    'orchestration',
  ])
})
