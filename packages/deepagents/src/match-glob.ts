/**
 * Whether a name matches a pattern of `*`, `?`, `[ab]` and `{a,b}`. `**\/` is any directories or none, so it is left out.
 * Written out instead of compiled to a regular expression: the pattern comes from a model, and this cannot be made to
 * backtrack without end.
 */
export function matchGlob(pattern: string, name: string): boolean {
  if (pattern === name) return true
  const characters = Array.from(name)
  return expandBraces(pattern.replaceAll('**/', '')).some((one) => matchTokens(tokensOf(one), characters))
}

const MAX_ALTERNATIVES = 64

function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const open = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next)
    if (braces === null || done.length + open.length >= MAX_ALTERNATIVES) {
      done.push(next)
      continue
    }
    const [whole, list = ''] = braces
    for (const part of list.split(',')) {
      open.push(next.slice(0, braces.index) + part + next.slice(braces.index + whole.length))
    }
  }
  return done
}

type Token = '*' | ((character: string) => boolean)

/** One token per character of the name, or a star: `?`, a class such as `[ab]`, `[!ab]` or `[0-9]`, or itself. */
function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  const characters = Array.from(pattern)
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1
    if (character === '*') tokens.push('*')
    else if (character === '?') tokens.push(() => true)
    else if (end === -1) tokens.push((one) => one === character)
    else {
      tokens.push(classOf(characters.slice(at + 1, end)))
      at = end
    }
  }
  return tokens
}

function classOf(given: readonly string[]): (character: string) => boolean {
  const isNegated = given[0] === '!' || given[0] === '^'
  const members = isNegated ? given.slice(1) : given
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? ''
    const to = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated
}

function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let at = 0
  let inName = 0
  let star = -1
  let resume = 0
  while (inName < name.length) {
    const token = tokens[at]
    if (token === '*') {
      star = at
      resume = inName
      at += 1
    } else if (token?.(name[inName] ?? '') === true) {
      at += 1
      inName += 1
    } else if (star !== -1) {
      resume += 1
      inName = resume
      at = star + 1
    } else {
      return false
    }
  }
  while (tokens[at] === '*') at += 1
  return at === tokens.length
}
