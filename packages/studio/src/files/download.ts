/** Saves a file from the page. */
export function downloadText(name: string, content: string, type = 'text/plain'): void {
  downloadBlob(baseName(name), new Blob([content], { type }))
}

/** All files as one zip; what makes it is loaded on first use. */
export async function downloadAll(
  files: readonly { readonly name: string; readonly content: string }[],
): Promise<void> {
  const { strToU8, zipSync } = await import('fflate')
  const tree = Object.fromEntries(
    files.map(({ name, content }) => [name.replace(/^\/+/, ''), strToU8(content)]),
  )
  downloadBlob('files.zip', new Blob([zipSync(tree).slice()], { type: 'application/zip' }))
}

export function downloadBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

function baseName(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? 'file.txt'
}
