/** Puts text on the clipboard, also on pages from another machine over plain HTTP, where `navigator.clipboard` is missing. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const box = document.createElement('textarea')
  box.value = text
  box.className = 'cw-hidden'
  document.body.append(box)
  box.select()
  document.execCommand('copy')
  box.remove()
}
