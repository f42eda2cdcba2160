/**
 * Whether a flat name matches a pattern of `*`, `?` and `{a,b}`. Written out instead of compiled to a regular
 * expression: the pattern comes from a model, and this cannot be made to backtrack without end.
 */
export function matchGlob(pattern: string, name: string): boolean {
  return expandBraces(pattern).some((one) => matchStars(one, name))
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

function matchStars(pattern: string, name: string): boolean {
  let at = 0
  let inName = 0
  let star = -1
  let resume = 0
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at
      resume = inName
      at += 1
    } else if (pattern[at] === '?' || pattern[at] === name[inName]) {
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
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
