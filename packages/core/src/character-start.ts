/** The place at or before `at` where a text can be cut without splitting a character that takes two code units. */
export function characterStart(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}
