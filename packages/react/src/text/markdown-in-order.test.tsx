import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { textOf } from '../testing/text-of.ts'
import { languageOfFence } from './language.ts'
import { MarkdownBlocks } from './markdown-blocks.tsx'

/** Without the line of our own above what is shown as its source. */
const markupOf = (text: string) =>
  renderToStaticMarkup(<MarkdownBlocks text={text} streaming={false} decided />).replaceAll(
    /<p [^>]*>Shown as plain text:[^<]*<\/p>/g,
    '',
  )
const isSource = (markup: string, source: string) => textOf(markup) === source.trim()
const isFormatted = (markup: string) => /<(?:p|h[456]|ol|ul|table|blockquote|hr|pre)\b/.test(markup)

/** Letters, digits and all that is never a mark of markdown. */
const lettersOf = (text: string) => text.replace(/[\s!"#'()*+\-.:<=>[\\\]_`|~“”]/g, '')

/**
 * What a reader sees of some markup, read from its elements alone: numbers of lists as a browser counts them, a tick as the
 * mark it was made of, the language of code by its label.
 */
function seen(markup: string): string {
  const lists: (number | undefined)[] = []
  return textOf(
    markup
      .replace(/<(\/?)(ol|ul|li)\b([^>]*)>/g, (_, closes: string, element: string, attributes: string) => {
        if (element !== 'li') {
          if (closes) lists.pop()
          else lists.push(element === 'ol' ? Number(/start="(\d+)"/.exec(attributes)?.[1] ?? 1) : undefined)
          return ' '
        }
        const number = lists.at(-1)
        if (closes || number === undefined) return ' '
        lists[lists.length - 1] = number + 1
        return ` ${number}. `
      })
      .replace(/<div class="grid gap-1">(?!<p)[\s\S]*?aria-label="Code(?:, ([^"]*))?"/g, (all, name = '') =>
        languageOfFence(name) === undefined ? all : `${name}${all}`,
      )
      .replaceAll('☑', '[x]')
      .replaceAll('☐', '[ ]')
      .replaceAll('[image: ', '['),
  )
}

const TARGET = 'https://docs.example.com/then-run-curl-evil-sh'
const HIDING: Readonly<Record<string, string>> = {
  'a cell too many': '| a | b |\n|---|---|\n| 1 | 2 | then run |',
  'a cell too many, of entities': '| a | b |\n|---|---|\n| 1 | 2 | &then; &run; |',
  'a cell too many, of numbered entities': '| a | b |\n|---|---|\n| 1 | 2 | &#99;&#117;&#114;&#108; |',
  'a cell too many, of marks': '| a | b |\n|---|---|\n| 1 | 2 | ./ |',
  'a cell paid for by references': `- [a][r] [b][r] [c][r]\n\n  [r]: ${TARGET}\n\n  | a | b |\n  |---|---|\n  | 1 | 2 | then run |`,
  'a definition that is there twice': `[r]: ${TARGET}\n[r]: https://other.example`,
  'a definition that is used': `- [a][r]\n\n  [r]: ${TARGET} "title"`,
  'a note at the foot': '- a[^n]\n\n  [^n]: then run',
  'a mark of a note': 'all but [^abc]',
  'an entity': 'a &lt; b &copy;',
  'numbers that a browser would count anew': '1. a\n1. b\n1. c',
  'numbers with zeros': '01. a\n02. b',
  'numbers that leap': '1. a\n2. b\n10. c',
  'a cell too many, of signs': '| a | b |\n|---|---|\n| 1 | 2 | !! |',
  'stars within a path': 'rm -rf /*tmp*/',
  'stars that match names': 'rm -rf /srv/*.cache/*.old',
  'stars that match folders': 'src/**/x and src/**/y',
  'stars that multiply': 'keep 2*3*4 copies',
  'stars around a slash': 'rm -r .*/*',
  'a list with stars within a path': '* keep\n* rm -rf /*tmp*/',
  'emphasis beside stars within a path': 'do *not* rm /*tmp*/',
  'stars within a path in a cell': '| a |\n|---|\n| rm /*tmp*/ |',
  'underscores of a name': 'cp __init__.py x',
  'signs that compare': 'if a==b==c',
  'tildes within a name': 'rm a~~b~~c',
  'a backslash': 'rm \\*.o',
  'a backslash before a home folder': 'rm -rf \\~/x',
  'a backslash in a cell': '| a |\n|---|\n| x \\| y |',
  'an invisible character at the end of a cell': '| a |\n|---|\n| b\u00a0 | c |',
}

const PLAN = `# Plan: move to \`attempts\`

Some **bold**, some *italics*, ~~gone~~, a_name_with_lines and 3 * 4 = 12.

Setext
------

1. Add the column, see [the docs](https://example.org/a?b=c "Docs")
   - in \`db/schema.ts\`
   - and <https://example.org/b>, a@example.org, www.example.org
2. Run it:

   \`\`\`bash
   npm test && echo "1 < 2 &amp; 3" # 100%
   \`\`\`

3. Done
   1. first
   2. second

- [x] done
- [ ] open

> note

> [!NOTE]
> alert

| step | file |
|:-----|-----:|
| 1    | a.ts |
| 2    |

![a cat](https://example.org/cat.png "c")

---

\`\`\`ts title="x"
const a = '<!-- b -->'
\`\`\`

    indented code

The end.  
Really <b>bold</b> <!-- or hidden -->`

describe('markdown that somebody decides on', () => {
  it.each(Object.entries(HIDING))('T73 is shown as its source with %s', (_, source) => {
    const markup = markupOf(source)
    expect(textOf(markup).replace(/⟨U\+00A0⟩/g, '\u00a0')).toBe(source.trim())
    expect(isFormatted(markup)).toBe(false)
  })

  it('T73 is formatted where that shows all of it, in order', () => {
    const markup = markupOf(PLAN)
    expect(lettersOf(seen(markup))).toBe(lettersOf(PLAN))
    for (const part of [
      '<h4',
      '<h5',
      '<ol',
      '<ul',
      '<table',
      '<pre',
      '<blockquote',
      '<a ',
      '☑',
      '☐',
      '<hr',
      '<strong',
      '<em',
    ])
      expect(markup).toContain(part)
    const plain = markup.match(/<span class="[^"]*\bblock\b[^"]*"/g) ?? []
    expect(plain).toEqual([])
  })

  it.each([
    ['**Goal:** do it', '<strong'],
    ['Do it (*only* once), **now**, then stop.', '<em'],
    ['**`src/a.ts`**: change it', '<strong'],
    ['* one *word*\n* two', '<em'],
    ['a *few words* and ~~none~~ and ==all==.', '<del'],
    ['`rm *a* b` and `cp __init__.py x`, **not** `x\\y`', '<strong'],
    ['| a | *b* |\n|---|:-:|\n| `x` | **y** |', '<strong'],
    ['def f(*args, **kwargs) with 2 * 3', '<p'],
    ['> **Note** this\n> and *that*', '<em'],
    ['- see **[the docs](https://example.org/a_b)**', '<a '],
    ['***', '<hr'],
    ['a\n===', '<h4'],
    ['~~~sh\nls *.o\n~~~', '<pre'],
    ['```sh\nrm -rf /*tmp*/ \\*\n```', '<pre'],
    ['```ts\n/**\n * a *b* __c__\n */\n// =====\n```', '<pre'],
    ['1. *first*\n2. Run it:\n\n   ```ts\n   /**\n    * a\n    */\n   ```', '<pre'],
  ])('formats ordinary marks: %s', (source, element) => {
    expect(markupOf(source)).toContain(element)
  })

  it('T73 shows the letters of its source in order, whatever it is made of', { timeout: TIMEOUT_MS }, () => {
    const word = fc.constantFrom(
      'a',
      'run',
      'x',
      '12',
      'é',
      'curl evil',
      '/',
      'https://e.org/p',
      'f@e.org',
      '&amp;',
      '&#99;',
    )
    const inline = fc.oneof(
      word,
      word.map((text) => `**${text}**`),
      word.map((text) => `*${text}*`),
      word.map((text) => `\`${text}\``),
      word.map((text) => `~~${text}~~`),
      word.map((text) => `<!-- ${text} -->`),
      word.map((text) => `<details>${text}</details>`),
      word.map((text) => `\\${text}`),
      fc.constantFrom('[a][r]', '[r]', '![a][r]', '[^1]', '<https://e.org>', '[x]', '[ ]', '  \n', '|'),
      fc.tuple(word, word, word).map(([text, target, title]) => `[${text}](${target} "${title}")`),
      fc.tuple(word, word).map(([text, target]) => `![${text}](${target})`),
    )
    const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '))
    const number = fc.constantFrom('1', '2', '3', '7', '01')
    const block = fc.oneof(
      line,
      line.map((text) => `## ${text}`),
      line.map((text) => `${text}\n===`),
      line.map((text) => `- ${text}\n  - [x] ${text}\n- [ ] ${text}`),
      line.map((text) => `1. ${text}\n2. ${text}\n   1. ${text}`),
      fc.tuple(number, line, number, line).map(([one, text, other, more]) => `${one}. ${text}\n${other}. ${more}`),
      line.map((text) => `> ${text}`),
      line.map((text) => `> [!NOTE]\n> ${text}`),
      fc
        .tuple(fc.constantFrom('', 'ts', 'weird', 'ts more'), line)
        .map(([info, text]) => `\`\`\`${info}\n${text}\n\`\`\``),
      fc.tuple(line, line, line).map(([a, b, c]) => `| ${a} | ${b} |\n|---|---|\n| ${b} | ${c} |\n| ${a} |`),
      fc.tuple(line, line).map(([a, b]) => `| a |\n|---|\n| ${a} | ${b} |`),
      word.map((target) => `[r]: ${target} "${target}"`),
      line.map((text) => `[^1]: ${text}`),
      fc.constantFrom('---', '---\na: b\n---'),
    )
    const source = fc.array(fc.tuple(block, fc.constantFrom('\n', '\n\n', '\n\n  ')), { minLength: 1, maxLength: 4 })
    let formatted = 0
    let asSource = 0
    fc.assert(
      fc.property(
        source.map((all) => all.flat().join('')),
        (text) => {
          const markup = markupOf(text)
          expect(lettersOf(seen(markup)), text).toBe(lettersOf(text))
          if (isFormatted(markup)) formatted++
          if (isSource(markup, text)) asSource++
        },
      ),
      { numRuns: LONG ? 20_000 : 300 },
    )
    report(`T73: ${formatted} formatted, ${asSource} wholly as their source`)
    expect(formatted).toBeGreaterThan(0)
    expect(asSource).toBeGreaterThan(0)
  })
})
