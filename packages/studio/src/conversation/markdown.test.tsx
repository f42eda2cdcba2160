// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { Markdown } from './markdown.tsx'

afterEach(cleanup)

describe('Markdown', () => {
  it('shows HTML as text', () => {
    const { container } = render(
      <Markdown text={'a <script>alert(1)</script> <img src=x onerror=alert(2)> b'} />,
    )
    expect(container.querySelector('script, img')).toBeNull()
    expect(container.textContent).toContain('<script>alert(1)</script>')
  })

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x'])(
    'makes no link of %s',
    (href) => {
      const { container } = render(<Markdown text={`[click](${href})`} />)
      expect(container.querySelector('a')).toBeNull()
      expect(screen.getByText('click')).toBeTruthy()
    },
  )

  it('opens links elsewhere, and loads no image', () => {
    const { container } = render(<Markdown text={'[a](https://a.example) ![b](https://b.example/x.png)'} />)
    const links = [...container.querySelectorAll('a')]
    expect(links.map(({ rel, target }) => [rel, target])).toEqual([
      ['noopener noreferrer nofollow', '_blank'],
      ['noopener noreferrer nofollow', '_blank'],
    ])
    expect(container.querySelector('img')).toBeNull()
  })

  it('closes what is still open while text streams in', () => {
    const { container } = render(<Markdown text={'so **bold'} isStreaming />)
    expect(container.querySelector('strong')?.textContent).toBe('bold')
  })

  it('keeps the elements of finished blocks while the last one grows', () => {
    const { container, rerender } = render(<Markdown text={'# Title\n\nfirst'} isStreaming />)
    const heading = container.querySelector('h1')
    rerender(<Markdown text={'# Title\n\nfirst and more'} isStreaming />)
    expect(container.querySelector('h1')).toBe(heading)
  })
})
