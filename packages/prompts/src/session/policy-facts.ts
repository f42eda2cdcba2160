import { fromJsonSchema } from '../schema/from-json-schema.ts'
import { slice } from './slice.ts'

/** What the policy of a prompt remembers: `policy` is the prompt and the name of the policy. */
interface PolicyFact {
  readonly policy: string
  readonly fact: string
}

const schema = fromJsonSchema<PolicyFact>({
  type: 'object',
  properties: { policy: { type: 'string' }, fact: { type: 'string' } },
  required: ['policy', 'fact'],
})

/** In every session; in snapshots only when there is something in it. */
export const PolicyFacts = slice('clewline.policy-facts', schema)
