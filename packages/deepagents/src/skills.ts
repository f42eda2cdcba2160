import { readFileSync, readdirSync, type Dirent } from 'node:fs'
import { readFile, readdir, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { DeepAgentError } from './deep-agent-error.ts'

/** Instructions for a kind of work. The model is shown name and description, and reads the rest when it needs it. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Where its `SKILL.md` is, and whatever that refers to. */
  readonly directory: string
}

/** The skills in these directories: each is a folder with a `SKILL.md` that begins with `name` and `description`. */
export function findSkills(directories: readonly string[]): readonly Skill[] {
  const skills = directories.flatMap((directory) =>
    foldersIn(directory).map((folder) => readSkill(join(directory, folder))),
  )
  const twice = skills.find(({ name }, index) => skills.findIndex((one) => one.name === name) !== index)
  if (twice === undefined) return skills
  throw new DeepAgentError('bad-agent', `There are two skills named ${JSON.stringify(twice.name)}.`, {
    hint: `Rename the one in ${twice.directory}.`,
  })
}

function foldersIn(directory: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    throw new DeepAgentError('bad-agent', `The skills in ${directory} cannot be read.`, {
      hint: 'Give a directory with one folder for each skill.',
      cause: error,
    })
  }
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  return folders.map(({ name }) => name).sort()
}

function readSkill(directory: string): Skill {
  const hint = 'It begins with lines of "---", and between them "name: …" and "description: …".'
  let text: string
  try {
    text = readFileSync(join(directory, 'SKILL.md'), 'utf8')
  } catch (error) {
    throw new DeepAgentError('bad-agent', `The skill in ${directory} has no SKILL.md.`, {
      hint,
      cause: error,
    })
  }
  const [, header = ''] = /^---\r?\n([^]*?)\r?\n---/.exec(text) ?? []
  const field = (key: string): string | undefined =>
    new RegExp(`^${key}:[ \\t]*(['"]?)(.*?)\\1[ \\t]*$`, 'm').exec(header)?.[2]
  const name = field('name') ?? basename(directory)
  const description = field('description')
  if (description === undefined || description === '')
    throw new DeepAgentError('bad-agent', `The skill ${name} has no description.`, { hint })
  return { name, description, directory }
}

/** For the system prompt: which skills there are. */
export function describeSkills(skills: readonly Skill[]): string {
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return `## Skills
There are instructions for some kinds of work. When one fits, read it with \`read_skill\` before you begin.
${list}`
}

/** The tool that reads a skill, and the files that belong to it. */
export function readSkillTool(skills: readonly Skill[]) {
  return tool(
    async ({ name, file }) => {
      const skill = skills.find((one) => one.name === name)
      if (skill === undefined)
        throw new Error(
          `there is no skill ${JSON.stringify(name)}. Choose one of: ${skills.map((one) => one.name).join(', ')}.`,
        )
      const text = await readWithin(skill.directory, file)
      if (file !== 'SKILL.md') return text
      const others = (await filesBelow(skill.directory)).filter((path) => path !== 'SKILL.md')
      return others.length === 0 ? text : `${text}\n\nOther files of this skill: ${others.join(', ')}`
    },
    {
      name: 'read_skill',
      description: 'Read the instructions of a skill, or another file that belongs to it.',
      schema: z.object({
        name: z.string().describe('Name of the skill'),
        file: z.string().default('SKILL.md').describe('Path of a file within the skill'),
      }),
    },
  )
}

/** Jailed: what the path leads to, links resolved, must be below the directory. */
async function readWithin(directory: string, path: string): Promise<string> {
  const root = await realpath(directory)
  const target = await realpath(join(root, path)).catch(() => undefined)
  if (target === undefined || !target.startsWith(root + sep))
    throw new Error(`the skill has no file ${JSON.stringify(path)}.`)
  return readFile(target, 'utf8')
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}
