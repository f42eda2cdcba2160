/** Markdown as one line of words. Underscores inside a name stay: `notes_1.md`. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^\s*[#>]+\s*|[*`]+|(?<!\w)_+|_+(?!\w)/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
