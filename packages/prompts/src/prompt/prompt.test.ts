import { type } from 'arktype'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PromptDefinitionError } from '../prompt-definition-error.ts'
import { ok } from '../result/tool-result.ts'
import { createSession } from '../session/session.ts'
import { slice } from '../session/slice.ts'
import { PromptRenderError } from './prompt-render-error.ts'
import { definePrompt } from './prompt.ts'
import { section } from './section.ts'
import { tool } from './tool.ts'

const search = tool({
  name: 'search_notes',
  description: 'Search stored notes.',
  params: z.object({ query: z.string() }),
  examples: [{ description: 'Basic', input: { query: 'x' }, output: { answer: 'y' } }],
  handler: () => ok({ answer: 'y' }),
})
const deepTool = tool({ name: 'dig', description: 'Digs.', handler: () => ok(null) })

const docs = section({
  key: 'docs',
  title: 'Docs',
  template: 'All of it.',
  summary: 'Docs available.',
  visibility: 'summary',
  tools: [tool({ name: 'read_docs', description: 'Reads.', handler: () => ok(null) })],
  children: [section({ key: 'deep', title: 'Deep', template: 'Deeper.', tools: [deepTool] })],
})
const task = section({
  key: 'task',
  title: 'Task',
  template: `
    Look up {{what}}
       indented $5
  `,
  params: z.object({ what: z.string() }),
  tools: [search],
  children: [docs],
})
const rules = section({ key: 'rules', title: 'Rules', template: 'Be brief.' })
const golden = definePrompt({ ns: 'test', key: 'golden', sections: [task, rules] })

describe('definition', () => {
  test.each([
    ['ns', { ns: ' ', key: 'k' }],
    ['key', { ns: 'n', key: '' }],
  ])('B1: an empty %s is rejected at definition', (field, ids) => {
    expect(() => definePrompt({ ...ids, sections: [rules] })).toThrow(`A prompt needs a ${field}.`)
  })

  test.each(['Upper', 'with space', '../up', '.dot', 'a/b', 'x'.repeat(65)])(
    'a namespace, and a key, cannot be %j',
    (bad) => {
      for (const ids of [
        { ns: bad, key: 'k' },
        { ns: 'n', key: bad },
      ])
        expect(() => definePrompt({ ...ids, sections: [rules] })).toThrow(
          expect.objectContaining({
            message: expect.stringContaining(`"${bad}" cannot be the`),
            hint: 'Use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit.',
          }),
        )
    },
  )

  test('B3: a placeholder that is no parameter is rejected at definition, with the section', () => {
    const bad: string = 'x {{nope}}'
    const define = () =>
      section({ key: 'bad', title: 'Bad', template: bad, params: z.object({ yes: z.string() }) })
    expect(define).toThrow(PromptDefinitionError)
    expect(define).toThrow('Section "bad" uses {{nope}}, which is no parameter.')
    expect(() => section({ key: 'bad', title: 'Bad', template: bad })).toThrow(
      expect.objectContaining({ section: 'bad', hint: 'Give the section a params schema.' }),
    )
  })

  test('B7: two tools with one name are rejected with the path of the section', () => {
    const again = section({ key: 'again', title: 'Again', template: 'x', tools: [search] })
    expect(() => definePrompt({ ns: 'n', key: 'k', sections: [task, again] })).toThrow(
      expect.objectContaining({
        message: 'The tool "search_notes" is in section "task" and in section "again".',
        section: 'again',
      }),
    )
  })

  test('two sections with one path are rejected', () => {
    expect(() => definePrompt({ ns: 'n', key: 'k', sections: [rules, rules] })).toThrow(
      'Two sections have the path "rules".',
    )
  })

  test.each(['', 'Upper', '-x', 'a'.repeat(65)])('the section key %j is rejected', (key) => {
    expect(() => section({ key, title: 'T', template: 'x' })).toThrow(PromptDefinitionError)
  })

  test('an output that is no object is rejected', () => {
    expect(() => definePrompt({ ns: 'n', key: 'k', sections: [rules], output: z.string() })).toThrow(
      'The output of "n.k" is not an object.',
    )
  })

  test('the hash follows text, tools and schemas, not names of variables or the process', () => {
    const one = definePrompt({ ns: 'n', key: 'k', sections: [rules] })
    const same = definePrompt({
      ns: 'n',
      key: 'k',
      sections: [section({ title: 'Rules', key: 'rules', template: 'Be brief.' })],
    })
    const other = definePrompt({
      ns: 'n',
      key: 'k',
      sections: [section({ key: 'rules', title: 'Rules', template: 'Be long.' })],
    })
    expect(one.hash).toBe(same.hash)
    expect(one.hash).not.toBe(other.hash)
    expect(golden.hash).toMatchInlineSnapshot(
      `"fb0330cd65617348925b0722bd36b7181cf0cd5b07404623c3f6ce9384572a54"`,
    )
  })
})

describe('rendering', () => {
  test('B2: headings carry number and path, sections are joined by one blank line', () => {
    expect(golden.bind({ what: 'policies' }).render().text).toMatchInlineSnapshot(`
      "## 1. Task (task)

      Look up policies
         indented $5

      Tools:
      - search_notes: Search stored notes.
        - search_notes examples:
          - description: Basic
            input:
              \`\`\`json
              {"query":"x"}
              \`\`\`
            output:
              \`\`\`
              {"answer":"y"}
              \`\`\`

      ### 1.1. Docs (task.docs)

      Docs available.

      ---
      [This section is summarized. Call \`open_sections\` with key "task.docs" to view full content including subsections: deep.]

      ## 2. Rules (rules)

      Be brief."
    `)
  })

  test('B4: a disabled section contributes neither text, children nor tools, and leaves its number free', () => {
    const off = section({
      key: 'off',
      title: 'Off',
      template: 'x',
      enabled: () => false,
      tools: [search],
      children: [section({ key: 'child', title: 'Child', template: 'y', tools: [deepTool] })],
    })
    const rendered = definePrompt({ ns: 'n', key: 'k', sections: [off, rules] })
      .bind()
      .render()
    expect(rendered.text).toBe('## 2. Rules (rules)\n\nBe brief.')
    expect(rendered.tools).toEqual([])
  })

  test('B4: enabled may look at parameters and session', () => {
    const Flag = slice('Flag', z.object({ on: z.boolean() }))
    const sometimes = section({
      key: 'sometimes',
      title: 'Sometimes',
      template: 'Now.',
      params: z.object({ wanted: z.boolean() }),
      enabled: ({ wanted }, session) => wanted && session?.query(Flag).latest()?.on === true,
    })
    const prompt = definePrompt({ ns: 'n', key: 'k', sections: [sometimes] })
    const session = createSession({ slices: [Flag] })
    expect(prompt.bind({ wanted: true }).render({ session }).text).toBe('')
    session.seed(Flag, [{ on: true }])
    expect(prompt.bind({ wanted: true }).render({ session }).text).toContain('Now.')
    expect(prompt.bind({ wanted: false }).render({ session }).text).toBe('')
  })

  test('B5: missing parameters raise an error that carries the path', () => {
    const nested = definePrompt({
      ns: 'n',
      key: 'k',
      sections: [
        section({
          key: 'a',
          title: 'A',
          template: 'a',
          children: [
            section({ key: 'b', title: 'B', template: '{{x}}', params: z.object({ x: z.string() }) }),
          ],
        }),
      ],
    })
    const unbound = () =>
      Reflect.apply(nested.bind.bind(nested), undefined, []) as ReturnType<typeof nested.bind>
    expect(() => unbound().render()).toThrow(PromptRenderError)
    expect(() => unbound().render()).toThrow(expect.objectContaining({ section: 'a.b' }))
  })

  test('a parameter that no section has is rejected when bound', () => {
    const params: { what: string } = Object.assign({ what: 'x' }, { wat: 1 })
    expect(() => golden.bind(params)).toThrow('No section of "test.golden" has a parameter wat.')
  })

  test('B6: defaults fill what is missing, explicit parameters win, defaults are cloned per render', () => {
    const seen: { list: number[] }[] = []
    const prompt = definePrompt({
      ns: 'n',
      key: 'k',
      sections: [
        section({
          key: 's',
          title: 'S',
          template: '{{who}} {{list}}',
          params: type({ who: 'string', list: 'number[]' }),
          defaults: { who: 'you', list: [1] },
          enabled: (params) => seen.push(params) > 0,
        }),
      ],
    })
    expect(prompt.bind().render().text).toContain('you [1]')
    seen[0]?.list.push(2)
    expect(prompt.bind({ who: 'me' }).render().text).toContain('me [1]')
  })

  test('values are text: braces and dollars in them are not filled in again', () => {
    expect(golden.bind({ what: '{{what}} $& $1' }).render().text).toContain('Look up {{what}} $& $1\n')
  })

  test('P8: an escaped placeholder is literal, in text, summary and next to real ones', () => {
    const escaped = section({
      key: 'syntax',
      title: 'Syntax',
      template: 'Write \\{{name}} to greet {{name}}, \\{{ and }}.',
      summary: 'How \\{{name}} works.',
      params: z.object({ name: z.string() }),
    })
    const prompt = definePrompt({ ns: 'n', key: 'k', sections: [escaped] }).bind({ name: 'Ada' })
    expect(prompt.render().text).toContain('Write {{name}} to greet Ada, {{ and }}.')
    expect(prompt.render({ visibility: { syntax: 'summary' } }).text).toContain('How {{name}} works.')
  })

  const kinds: [string, ReturnType<typeof z.object> | z.ZodType<object, object>, object, string][] = [
    ['a date', z.object({ v: z.date() }), { v: new Date(0) }, '1970-01-01T00:00:00.000Z'],
    ['a bigint', z.object({ v: z.bigint() }), { v: 12n }, '12'],
    [
      'an instance',
      z.object({ v: z.instanceof(URL) }),
      { v: new URL('https://a.example/') },
      'https://a.example/',
    ],
    ['a map', z.object({ v: z.map(z.string(), z.number()) }), { v: new Map([['a', 1]]) }, '[["a",1]]'],
    ['a set', z.object({ v: z.set(z.number()) }), { v: new Set([1, 2]) }, '[1,2]'],
    [
      'a transform',
      z.object({ v: z.string() }).transform(({ v: text }) => ({ v: text.length })),
      { v: 'abc' },
      '3',
    ],
    ['a union', z.union([z.object({ v: z.string() }), z.object({ w: z.string() })]), { v: 'left' }, 'left'],
    [
      'a discriminated union',
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a'), v: z.string() }),
        z.object({ k: z.literal('b'), w: z.string() }),
      ]),
      { k: 'a', v: 'tagged' },
      'tagged',
    ],
    [
      'an intersection',
      z.intersection(z.object({ v: z.string() }), z.object({ w: z.string() })),
      { v: 'both', w: 'x' },
      'both',
    ],
    ['a record', z.record(z.string(), z.string()), { v: 'free' }, 'free'],
    ['a lazy object', z.lazy(() => z.object({ v: z.string() })), { v: 'late' }, 'late'],
    ['a custom check', z.custom<{ v: string }>((given) => typeof given === 'object'), { v: 'own' }, 'own'],
  ]
  test.each(kinds)('P5: parameters may be %s', (_name, params, given, text) => {
    const template: string = '{{v}}'
    const other = section({ key: 'o', title: 'O', template: '{{n}}', params: z.object({ n: z.number() }) })
    const own = section({ key: 's', title: 'S', template, params })
    const prompt = definePrompt({ ns: 'n', key: 'k', sections: [own, other] })
    expect(prompt.bind({ ...given, n: 7 }).render().text).toBe(`## 1. S (s)\n\n${text}\n\n## 2. O (o)\n\n7`)
    expect(prompt.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('P5: defaults may be of any type too', () => {
    const link = section({
      key: 's',
      title: 'S',
      template: '{{at}} {{since}} {{n}}',
      params: z.object({ at: z.instanceof(URL), since: z.date(), n: z.bigint() }),
      defaults: { at: new URL('https://a.example/'), since: new Date(0), n: 1n },
    })
    const prompt = definePrompt({ ns: 'n', key: 'k', sections: [link] })
    expect(prompt.bind().render().text).toContain('https://a.example/ 1970-01-01T00:00:00.000Z 1')
  })

  test('P5: parameters that are no object are refused, because they have no names', () => {
    expect(() => section({ key: 's', title: 'S', template: 'x', params: z.string() })).toThrow(
      'The parameters of the section "s" are not an object with named fields.',
    )
  })

  test('binding does not change the template, nor does the object that was bound', () => {
    const params = { what: 'a' }
    const bound = golden.bind(params)
    params.what = 'b'
    expect(bound.render().text).toContain('Look up a')
    expect(golden.bind({ what: 'c' }).render().text).toContain('Look up c')
  })
})

describe('visibility', () => {
  test('B9: a summary has its exact suffix, hides children and tools, and adds open_sections last', () => {
    const rendered = golden.bind({ what: 'x' }).render()
    expect(rendered.text).toContain(
      '### 1.1. Docs (task.docs)\n\nDocs available.\n\n---\n[This section is summarized. Call `open_sections` with key "task.docs" to view full content including subsections: deep.]',
    )
    expect(rendered.text).not.toContain('Deep (')
    expect(rendered.tools.map((each) => each.name)).toEqual(['search_notes', 'open_sections'])
    expect(rendered.summarized).toEqual(['task.docs'])
  })

  test('B9: the suffix of a section without children', () => {
    const leaf = section({
      key: 'leaf',
      title: 'Leaf',
      template: 'All.',
      summary: 'Some.',
      visibility: 'summary',
    })
    expect(
      definePrompt({ ns: 'n', key: 'k', sections: [leaf] })
        .bind()
        .render().text,
    ).toBe(
      '## 1. Leaf (leaf)\n\nSome.\n\n---\n[This section is summarized. To view full content, call `read_section` with key "leaf".]',
    )
  })

  test('B10: siblings after a summarized section still render', () => {
    expect(golden.bind({ what: 'x' }).render().text).toContain('## 2. Rules (rules)\n\nBe brief.')
  })

  test('B11: summary without text renders full', () => {
    const bare = section({ key: 'bare', title: 'Bare', template: 'All.', visibility: 'summary' })
    const rendered = definePrompt({ ns: 'n', key: 'k', sections: [bare] })
      .bind()
      .render()
    expect(rendered.text).toBe('## 1. Bare (bare)\n\nAll.')
    expect(rendered.tools).toEqual([])
  })

  test('an override of a section that is not there is refused', () => {
    expect(() => golden.bind({ what: 'x' }).render({ visibility: { 'task.dosc': 'full' } })).toThrow(
      expect.objectContaining({ section: 'task.dosc', hint: expect.stringContaining('task, task.docs,') }),
    )
  })

  test('an override wins over the section, also over a computed visibility', () => {
    const full = golden.bind({ what: 'x' }).render({ visibility: { 'task.docs': 'full' } })
    expect(full.text).toContain('#### 1.1.1. Deep (task.docs.deep)\n\nDeeper.')
    expect(full.tools.map((each) => each.name)).toEqual(['search_notes', 'read_docs', 'dig'])
    const computed = section({
      key: 'c',
      title: 'C',
      template: 'All.',
      summary: 'Some.',
      params: z.object({ short: z.boolean() }),
      visibility: ({ short }) => (short ? 'summary' : 'full'),
    })
    const prompt = definePrompt({ ns: 'n', key: 'k', sections: [computed] })
    expect(prompt.bind({ short: true }).render().summarized).toEqual(['c'])
    expect(prompt.bind({ short: false }).render().summarized).toEqual([])
    expect(prompt.bind({ short: true }).render({ visibility: { c: 'full' } }).summarized).toEqual([])
  })
})
