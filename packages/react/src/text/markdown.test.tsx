import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, vi } from 'vitest'
import { hostileMarkdown } from '../testing/hostile-markdown.ts'
import { textOf } from '../testing/text-of.ts'
import { MarkdownBlocks } from './markdown-blocks.tsx'

function markupOf(text: string): string {
  return renderToStaticMarkup(<MarkdownBlocks text={text} streaming={false} />)
}

const ELEMENTS = new Set(
  'a bdi blockquote br button code del div em h4 h5 h6 hr li ol p pre span strong sup table tbody td th thead tr ul'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'aria-expanded aria-hidden aria-label class data-escape dir href rel role start style tabindex target title type'.split(
    ' ',
  ),
)

/** Elements and attributes that are not ours. React quotes every attribute, so the markup can be read by its shape. */
function strangersIn(markup: string): string[] {
  const found: string[] = []
  for (const [, element, attributes] of markup.matchAll(/<([^\s/>]+)((?:"[^"]*"|[^">])*)>/g)) {
    if (!ELEMENTS.has(element ?? '')) found.push(`<${element}>`)
    for (const [, name, value] of (attributes ?? '').matchAll(/([^\s="]+)="([^"]*)"/g)) {
      if (!ATTRIBUTES.has(name ?? '')) found.push(`${element} ${name}`)
      if (name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(value ?? '')) found.push(`href ${value}`)
      if (name === 'rel' && value !== 'noreferrer noopener') found.push(`rel ${value}`)
      if (name === 'style' && !/^(?:max-height|padding-inline-start):[^;]*$/.test(value ?? ''))
        found.push(`style ${value}`)
      if (name === 'role' && value !== 'group') found.push(`role ${value}`)
    }
  }
  return found
}

describe('T41, T28: hostile markdown', () => {
  const payloads = hostileMarkdown()

  it('is plentiful', () => {
    expect(new Set(payloads).size).toBeGreaterThan(300)
  })

  it('makes no element, attribute or link but ours', () => {
    const failed = payloads.flatMap((payload) =>
      strangersIn(markupOf(payload)).map((stranger) => ({ stranger, payload })),
    )
    expect(failed).toEqual([])
  })

  it('shows raw HTML as text', () => {
    expect(textOf(markupOf('<button data-decide>Allow once</button>'))).toBe('<button data-decide>Allow once</button>')
    expect(textOf(markupOf('a <!-- hidden --> b'))).toBe('a <!-- hidden --> b')
  })
})

describe('markdown', () => {
  it('formats what agents write', () => {
    const markup = markupOf(
      '# Plan\n\n1. **Add** the `attempts` column\n2. Run it\n\n- [x] done\n- [ ] open\n\n> note\n\n---\n',
    )
    for (const part of ['<h4', '<ol', '<strong', '<code', '<ul', '☑', '☐', '<blockquote', '<hr'])
      expect(markup).toContain(part)
  })

  it('T28: demotes headings, so that none has the rank of ours', () => {
    expect(markupOf('# a\n\n## b\n\n### c\n\nd\n===\n')).not.toMatch(/<h[123]/)
  })

  it('says where a link leads', () => {
    expect(textOf(markupOf('[the docs](https://example.org/a)'))).toBe('the docs (example.org)')
    expect(textOf(markupOf('https://example.org/a'))).toBe('https://example.org/a')
    expect(textOf(markupOf('[x](javascript:alert(1))'))).toBe('x (javascript:alert(1))')
    expect(textOf(markupOf('[x](./README.md)'))).toBe('x (./README.md)')
  })

  it('says all of where a link leads where somebody decides on it (T26)', () => {
    const whole = (text: string) =>
      textOf(renderToStaticMarkup(<MarkdownBlocks text={text} streaming={false} decided />))
    expect(whole('[the docs](https://example.org/a?b)')).toBe('the docs (https://example.org/a?b)')
    expect(whole('[example.org](https://example.org/a)')).toBe('example.org (https://example.org/a)')
    for (const text of ['https://example.org/a', 'a@example.org', 'www.example.org']) expect(whole(text)).toBe(text)
    // Text and target may each stand for a letter of the source once, no more.
    const twice = '[https://example.org/a](https://example.org/a)'
    expect(whole(twice)).toBe(`Shown as plain text: with formatting, some of it might not be visible.${twice}`)
  })

  it('shows what stands after a fence, but for the name of a language', () => {
    expect(textOf(markupOf('```hidden\nx\n```'))).toBe('hiddenx')
    expect(textOf(markupOf('~~~hidden words here\nx\n~~~'))).toBe('hidden words herex')
    expect(textOf(markupOf('```ts\nx\n```'))).toBe('x')
  })

  it('draws endless blocks in steps', () => {
    expect(textOf(markupOf('a\n\n'.repeat(5000)))).toContain('Show more: 3,000 marks left')
  })

  it('loads no picture', () => {
    expect(textOf(markupOf('![a cat](https://example.org/cat.png "c")'))).toBe(
      '[image: a cat] https://example.org/cat.png “c”',
    )
  })

  it('T24: escapes what cannot be seen, and shows entities as they are written', () => {
    const text = textOf(
      markupOf('a\u202eb **c\u200bd** `e\u2067f` [g\u2066](https://h.i/\u200b) pаypal\n\n&#x200D;h\n\ni\ufeff'),
    )
    for (const shown of ['a⟨U+202E⟩b', 'c⟨U+200B⟩d', '&#x200D;h', 'g⟨U+2066⟩', 'p⟨U+0430⟩ypal', 'i⟨U+FEFF⟩'])
      expect(text).toContain(shown)
    expect(text).not.toMatch(/[\u202e\u200b\u2066\u200d]/)
  })

  it('I6: shows a block as text when formatting it would lose some', () => {
    const extraCell = '| a | b |\n|---|---|\n| 1 | 2 | hidden |'
    expect(textOf(markupOf(extraCell))).toBe(extraCell)
    const twice = '[x]: https://a.b\n[x]: https://hidden.c'
    expect(textOf(markupOf(twice))).toBe(twice)
    expect(textOf(markupOf('nul\u0000l'))).toBe('nul⟨U+0000⟩l')
  })

  it('shows definitions that nothing refers to, titles and what stands after a fence', () => {
    expect(textOf(markupOf('[//]: # (hidden words)'))).toContain('hidden words')
    expect(textOf(markupOf('[a](https://b.c "hidden")'))).toContain('hidden')
    expect(textOf(markupOf('```ts hidden\nx\n```'))).toContain('hidden')
    expect(textOf(markupOf('x[^1]\n\n[^1]: hidden'))).toContain('hidden')
  })

  it('takes text nested without end', () => {
    expect(textOf(markupOf(`${'> '.repeat(3000)}end`))).toContain('end')
    expect(textOf(markupOf(`${'['.repeat(5000)}end`))).toContain('end')
    expect(textOf(markupOf(`${'- '.repeat(500)}end`))).toContain('end')
  })

  it('looks fine with a fence that is not closed yet', () => {
    const markup = renderToStaticMarkup(<MarkdownBlocks text={'a\n\n```ts\nconst x'} streaming />)
    expect(markup).toContain('<pre')
    expect(textOf(markup)).toBe('aconst x')
  })

  it('is plain text until its code has loaded', async () => {
    // Another file in the same process may have loaded it.
    vi.resetModules()
    const { Markdown } = await import('./markdown.tsx')
    expect(textOf(renderToStaticMarkup(<Markdown text={'**a**\u200b\nb'} />))).toBe('**a**⟨U+200B⟩\nb')
  })
})

it('T25 judges code in a sentence by itself, whatever the sentence is written in', () => {
  const shown = textOf(markupOf('Потом запусти `сат` и жди, а с ним и код.'))
  expect(shown).toContain('⟨U+0441⟩⟨U+0430⟩⟨U+0442⟩ и жди, а с ним и код.')
})

it('T24 keeps the words of inline code in their order', () => {
  expect(markupOf('Run `cp א ב` now')).toContain('cp <bdi dir="rtl">א</bdi> <bdi dir="rtl">ב</bdi>')
})
