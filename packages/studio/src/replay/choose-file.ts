/** Asks for a recording with the browser's own dialog. */
export function chooseFile(chosen: (file: File) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.jsonl,.ndjson,.json,application/x-ndjson'
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file !== undefined) chosen(file)
  })
  input.click()
}
