import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('..', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const readme = read('README.md')
const blocks = [...readme.matchAll(/(?:<!-- (\S+) -->\n\n)?```(\w+)\n(.*?)```/gs)].map(
  ([, file, language, text]) => ({
    file,
    language,
    text: text ?? '',
  }),
)

describe('every code block of the README', () => {
  test.each(blocks.filter(({ language }) => language === 'ts'))(
    'is the example $file, which has a test',
    ({ file, text }) => {
      expect(file).toBeDefined()
      expect(text).toBe(read(file ?? ''))
    },
  )

  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))

  test.each(commands.filter((line) => line.startsWith('npm ')))(
    'names a script that is there: %s',
    (line) => {
      const [, first, second] = line.split(' ')
      const { scripts } = JSON.parse(read('package.json'))
      expect(Object.keys(scripts)).toContain(first === 'run' ? second : first)
    },
  )

  test.each(commands.filter((line) => line.startsWith('npx clewline ')))(
    'names a command that is there: %s',
    (line) => {
      const name = line.split(' ')[2] ?? ''
      const flags = [...line.matchAll(/--\w+/g)].map(([flag]) => flag)
      const { status, stdout } = spawnSync('node', ['packages/server/dist/cli/main.js', name, '--help'], {
        cwd: root,
        encoding: 'utf8',
      })
      expect(status).toBe(0)
      for (const flag of flags) expect(stdout).toContain(flag)
    },
  )

  test('is of a language that is checked', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['ts', 'sh']))
  })
})

const folders = (parent: string): string[] =>
  readdirSync(new URL(parent, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}${name}/`)
const projects = [...folders('packages/'), ...folders('examples/')]
const pages = ['', 'docs/', 'docs/decisions/', 'patches/', 'bench/', 'examples/', ...projects].flatMap(
  (folder) =>
    readdirSync(new URL(`./${folder}`, root))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}${file}`),
)

describe.each(pages)('%s', (page) => {
  const text = read(page)

  test('links only to what is there', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '')
    expect(links.filter((path) => !existsSync(new URL(path, new URL(page, root))))).toEqual([])
  })

  test('names only scripts that are there', () => {
    const near = new URL('package.json', new URL(page, root))
    const scripts = [new URL('package.json', root), near]
      .filter((manifest) => existsSync(manifest))
      .flatMap((manifest) => Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).scripts ?? {}))
    const named = [...text.matchAll(/\bnpm run ([a-z][\w:]*)/g)].map(([, name]) => name)
    expect(named.filter((name) => !scripts.includes(name ?? ''))).toEqual([])
  })
})

test('the index of decisions lists every page', () => {
  const files = readdirSync(new URL('docs/decisions', root)).filter((file) => file !== 'README.md')
  const listed = [...read('docs/decisions/README.md').matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file)
  expect(listed).toEqual(files.sort())
})

test('every package and every example has a README', () => {
  expect(projects.filter((folder) => !pages.includes(`${folder}README.md`))).toEqual([])
})
