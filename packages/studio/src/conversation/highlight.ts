import {
  createHighlighterCore,
  createCssVariablesTheme,
  type HighlighterCore,
  type ThemedToken,
} from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'

const LANGUAGES = {
  bash: () => import('@shikijs/langs/bash'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  html: () => import('@shikijs/langs/html'),
  json: () => import('@shikijs/langs/json'),
  markdown: () => import('@shikijs/langs/markdown'),
  python: () => import('@shikijs/langs/python'),
  sql: () => import('@shikijs/langs/sql'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  yaml: () => import('@shikijs/langs/yaml'),
} as const

type Language = keyof typeof LANGUAGES

const ALIASES = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  js: 'typescript',
  javascript: 'typescript',
  mjs: 'typescript',
  ts: 'typescript',
  mts: 'typescript',
  jsx: 'tsx',
  jsonc: 'json',
  jsonl: 'json',
  md: 'markdown',
  py: 'python',
  patch: 'diff',
  yml: 'yaml',
  xml: 'html',
  svg: 'html',
} as const satisfies Readonly<Record<string, Language>>

let highlighter: Promise<HighlighterCore> | undefined

/** Coloured tokens per line, or null for a language that is not known. Loads itself and the grammar on first use. */
export async function highlight(
  code: string,
  language: string,
): Promise<readonly (readonly ThemedToken[])[] | null> {
  const name = languageOf(language)
  if (name === undefined) return null
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ variablePrefix: '--cw-code-' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const core = await highlighter
  if (!core.getLoadedLanguages().includes(name)) await core.loadLanguage(LANGUAGES[name]())
  return core.codeToTokens(code, { lang: name, theme: 'css-variables' }).tokens
}

function languageOf(language: string): Language | undefined {
  const lower = language.toLowerCase()
  return isKeyOf(LANGUAGES, lower) ? lower : isKeyOf(ALIASES, lower) ? ALIASES[lower] : undefined
}

function isKeyOf<T extends object>(table: T, key: string | number | symbol): key is keyof T {
  return Object.hasOwn(table, key)
}
