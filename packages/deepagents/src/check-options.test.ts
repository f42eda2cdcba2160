import { expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import { DeepAgentError } from './deep-agent-error.ts'

const base = { instructions: 'x', model: 'ollama:x' }

it.each<[unknown, string]>([
  [undefined, 'createDeepAgent needs options. Give it { instructions, … }.'],
  [{}, 'createDeepAgent has no instructions. Say what the agent is for; it may be empty.'],
  [{ instructions: 3 }, 'instructions of createDeepAgent is a number. Give a text.'],
  [
    { ...base, systemPrompt: 'x' },
    'createDeepAgent has no option "systemPrompt". There are: tools, instructions',
  ],
  [{ ...base, tools: {} }, 'tools of createDeepAgent is an object. Give an array.'],
  [{ ...base, tools: [() => 'x'] }, 'tools[0] of createDeepAgent is a bare function'],
  [{ ...base, tools: [null] }, 'tools[0] of createDeepAgent is null. Give a LangChain tool.'],
  [{ ...base, model: 3 }, 'model of createDeepAgent is a number.'],
  [{ ...base, model: {} }, 'model of createDeepAgent is an object.'],
  [{ ...base, subagents: ['critic'] }, 'subagents[0] is a string. Give { name, description, prompt }.'],
  [{ ...base, subagents: [{ name: 'a', description: '' }] }, 'The sub-agent a has no prompt.'],
  [{ ...base, subagents: [{ description: '', prompt: '' }] }, 'subagents[0] has no name.'],
  [
    { ...base, subagents: [{ name: 'a', description: '', prompt: '', systemPrompt: '' }] },
    'The sub-agent a has no option "systemPrompt".',
  ],
  [
    { ...base, subagents: [{ name: 'a', description: '', prompt: '', tools: [() => 'x'] }] },
    'tools[0] of the sub-agent a is a bare function',
  ],
])('says in a sentence what is wrong with %j', (options, message) => {
  const create = () => Reflect.apply(createDeepAgent, undefined, [options])
  expect(create).toThrow(DeepAgentError)
  expect(create).toThrow(message)
})
