const HUES = 8
const given = new Map<string, number>()

/** A colour that a name keeps wherever it is shown. Handed out in turn: by a hash, two agents of three look alike. */
export function hueOf(name: string): string {
  const hue = given.get(name) ?? given.size % HUES
  given.set(name, hue)
  return `var(--sk-hue-${hue})`
}
