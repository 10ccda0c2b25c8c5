import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { textOf } from '../testing/text-of.ts'
import { CodeBlock } from './code-block.tsx'
import { DiffView } from './diff-view.tsx'
import { JsonTree } from './json-tree.tsx'
import { EscapeWarning, VisibleText } from './visible-text.tsx'

const HOSTILE = 'rm \u202e<img src=x onerror=alert(1)>\u200b\u0000\x1b[31m pаypal'
const RAW = ['\u202e', '\u200b', '\u0000', '\x1b', 'а']

describe('every view', () => {
  it.each([
    ['VisibleText', <VisibleText key="" text={HOSTILE} />],
    ['CodeBlock', <CodeBlock key="" text={HOSTILE} />],
    ['JsonTree, value', <JsonTree key="" value={{ key: HOSTILE }} />],
    ['JsonTree, long value', <JsonTree key="" value={[`${HOSTILE}\n${'x'.repeat(100)}`]} />],
    ['JsonTree, name', <JsonTree key="" value={{ [HOSTILE]: 1 }} />],
    ['DiffView, line', <DiffView key="" diff={`@@ -1,1 +1,1 @@\n-a\n+${HOSTILE}\n`} filePath="a" />],
    ['DiffView, path', <DiffView key="" diff={'@@ -1,1 +1,1 @@\n-a\n+b\n'} filePath={HOSTILE} />],
    ['DiffView, not a diff', <DiffView key="" diff={HOSTILE} filePath={HOSTILE} />],
  ])('T24, T41: %s shows hostile text as text, escaped, in attributes too', (_, view) => {
    const markup = renderToStaticMarkup(view)
    for (const raw of RAW) expect(markup).not.toContain(raw)
    expect(markup).not.toContain('<img')
    expect(textOf(markup)).toContain('⟨U+202E⟩<img src=x onerror=alert(1)>⟨U+200B⟩')
  })
})

describe('VisibleText', () => {
  it('names an escape for who points at it', () => {
    expect(renderToStaticMarkup(<VisibleText text={'\u202e'} />)).toContain('title="U+202E RIGHT-TO-LEFT OVERRIDE"')
  })

  it('joins lines with a sign that no text in code can write', () => {
    const shown = (text: string) => textOf(renderToStaticMarkup(<VisibleText text={text} code joinLines />))
    expect(shown('npm test\nrm -rf build')).toBe('npm test ⏎ rm -rf build')
    expect(shown('npm test ⏎ rm')).toBe('npm test ⟨U+23CE⟩ rm')
    expect(textOf(renderToStaticMarkup(<VisibleText text={'a\nb'} code />))).toBe('a⟨U+000A⟩b')
  })

  it('joins the lines of a long text as well', () => {
    const markup = renderToStaticMarkup(<VisibleText text={'ls\n'.repeat(1000)} code joinLines />)
    expect(textOf(markup)).toContain('ls ⏎ ls ⏎ ')
    expect(markup).not.toContain('U+000A')
  })

  it('keeps words from the right apart in code, so that their order is that of the text', () => {
    const markup = renderToStaticMarkup(<VisibleText code text="rm א/1 ב" />)
    expect(markup).toContain('rm <bdi dir="rtl">א</bdi>/1 <bdi dir="rtl">ב</bdi>')
  })
})

describe('EscapeWarning', () => {
  it('says what was escaped over several texts, and nothing when nothing was', () => {
    expect(textOf(renderToStaticMarkup(<EscapeWarning texts={['a', 'b\u200b', '\u200b']} />))).toBe(
      '2 invisible characters are shown as escapes.',
    )
    expect(textOf(renderToStaticMarkup(<EscapeWarning texts={['привет мир а']} />))).toContain('look-alike')
    expect(renderToStaticMarkup(<EscapeWarning texts={['plain']} prose={['привет мир а']} />)).toBe('')
  })
})

describe('CodeBlock', () => {
  it('T26: shows the whole of a long text and how long it is', () => {
    const text = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n')
    const shown = textOf(renderToStaticMarkup(<CodeBlock text={text} />))
    expect(shown).toContain(text)
    expect(shown).toContain(`3,000 lines · ${text.length.toLocaleString('en')} characters`)
  })

  it('T26: says how much emptiness it folded', () => {
    const markup = renderToStaticMarkup(<CodeBlock text={`ls\n${'\n'.repeat(240)}rm${' '.repeat(300)}-rf`} />)
    expect(textOf(markup)).toContain('ls\n⋯ 240 blank lines ⋯\nrm· 300 spaces ·-rf')
  })
})

describe('DiffView', () => {
  const diff = '--- /dev/null\n+++ src/a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n\\ No newline at end of file\n+new  \n'

  it('shows path, counts, signs, both numbers and a missing newline', () => {
    const shown = textOf(renderToStaticMarkup(<DiffView diff={diff} filePath="/home/me/src/a.ts" />))
    expect(shown).toContain('/home/me/src/a.tsnew fileadded +1removed −1')
    expect(shown).toContain('11 same')
    expect(shown).toContain('2−oldno newline at end of file')
    expect(shown).toContain('2+new')
  })

  it('puts old and new side by side when there is room', () => {
    const shown = textOf(renderToStaticMarkup(<DiffView diff={diff} filePath="src/a.ts" wide />))
    expect(shown).toContain('1 same1 same')
    expect(shown).toContain('2−oldno newline at end of file2+new')
  })

  it('says so when the diff is of another file or changes no line', () => {
    const shown = textOf(renderToStaticMarkup(<DiffView diff={'--- b\n+++ b\n'} filePath="src/a.ts" />))
    expect(shown).toContain('src/a.tsas b')
    expect(shown).toContain('No line changes in b')
    const same = textOf(renderToStaticMarkup(<DiffView diff={'--- src/a.ts\n+++ src/a.ts\n'} filePath="src/a.ts" />))
    expect(same).toContain('This changes nothing.')
  })

  it('shows what does not parse as it is', () => {
    const broken = '@@ -1,9 +1,9 @@\n+rm -rf\n'
    expect(textOf(renderToStaticMarkup(<DiffView diff={broken} filePath="a" />))).toContain(broken)
  })

  it('shows every line of a diff of 3,000', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `+line ${index}`)
    const shown = textOf(
      renderToStaticMarkup(<DiffView diff={`@@ -0,0 +1,3000 @@\n${lines.join('\n')}\n`} filePath="a" />),
    )
    for (const line of lines) expect(shown).toContain(`+${line.slice(1)}`)
  })
})

describe('JsonTree', () => {
  it('quotes text, and boxes text that could be taken for the end of its quotes', () => {
    const markup = renderToStaticMarkup(<JsonTree value={{ a: 'x', b: 'x", "admin": true', __proto__x: null }} />)
    expect(textOf(markup)).toContain('a: "x"b: x", "admin": true__proto__x: null')
    expect(markup).toMatch(/<div[^>]*>x&quot;, &quot;admin&quot;: true<\/div>/)
  })

  it('quotes a name that could be taken for the signs of the tree', () => {
    expect(textOf(renderToStaticMarkup(<JsonTree value={{ 'a": 1, "b': 2 }} />))).toContain('"a\\": 1, \\"b": 2')
  })

  it('says how much it has not shown yet', () => {
    const shown = textOf(renderToStaticMarkup(<JsonTree value={Array.from({ length: 5000 }, (_, index) => index)} />))
    expect(shown).toContain('Show more: 3,002 lines left')
    expect(shown).toContain('5,002 lines')
  })
})

describe('a text of a hundred thousand marks', () => {
  const marks = (markup: string) => markup.match(/data-escape/g)?.length
  const many = 'a\u200b'.repeat(100_000)
  it.each([
    ['VisibleText', <VisibleText key="" text={many} />],
    ['CodeBlock', <CodeBlock key="" text={many} />],
    ['one value of a tree', <JsonTree key="" value={{ many }} />],
    ['one line of a diff', <DiffView key="" diff={`--- a\n+++ a\n@@ -0,0 +1 @@\n+${many}\n`} filePath="a" />],
  ])('is drawn in steps: %s', (_, element) => {
    const markup = renderToStaticMarkup(element)
    expect(marks(markup)).toBe(2000)
    expect(textOf(markup)).toContain('Show more: 98,000 marks left')
  })

  it('is drawn in steps when it is many short values or lines', () => {
    const short = 'a\u200b'.repeat(20)
    const tree = renderToStaticMarkup(<JsonTree value={Array.from({ length: 5000 }, () => short)} />)
    const lines = `+${short}\n`.repeat(5000)
    const diff = renderToStaticMarkup(<DiffView diff={`--- a\n+++ a\n@@ -0,0 +1,5000 @@\n${lines}`} filePath="a" />)
    for (const markup of [tree, diff]) {
      expect(marks(markup)).toBeLessThanOrEqual(2000)
      expect(textOf(markup)).toContain('Show more: ')
    }
  })

  it('is drawn in steps when it is words from the right', () => {
    const markup = renderToStaticMarkup(<CodeBlock text={'א '.repeat(50_000)} />)
    expect(markup.match(/<bdi/g)?.length).toBeLessThanOrEqual(2000)
    expect(textOf(markup)).toContain('Show more: ')
  })
})

it('folds a million empty lines in a text', () => {
  const markup = renderToStaticMarkup(<VisibleText multiline text={`a${'\n'.repeat(1_000_000)}b`} />)
  expect(markup.length).toBeLessThan(2000)
  expect(textOf(markup)).toMatch(/^a\n⋯ 999,999 blank lines ⋯\nb$/)
})
