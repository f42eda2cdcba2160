/** A colour that a name keeps wherever it is shown. */
export function hueOf(name: string): string {
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = (hash * 31 + name.charCodeAt(index)) >>> 0
  return `var(--sk-hue-${hash % 8})`
}
