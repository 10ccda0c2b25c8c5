import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { canHighlight, highlight } from './highlight.ts'

it.each([
  ['shellscript', 'psql "$DATABASE_URL" -c \'alter table jobs\' && npm run x # note\r\necho $x | sed "s/a/b/"\n'],
  ['typescript', 'export const a = `x \u202e`\n\n\n// note\nfunction f(a: number) {}'],
  ['json', '{"a": [1, true, "x\\n"]}'],
  ['python', 'def f(x):\n    """doc"""\n    return f"{x}"\n'],
  ['markdown', '# x\n\n```ts\nconst a = 1\n```\n'],
  ['html', '<a href="x">y</a><script>let z = 1</script>'],
])('colours %s within the text, in order, without overlap', async (language, text) => {
  const looks = await highlight(text, language)
  expect(looks.length).toBeGreaterThan(0)
  let at = 0
  for (const { start, end, color } of looks) {
    expect(start).toBeGreaterThanOrEqual(at)
    expect(end).toBeGreaterThan(start)
    expect(color).toMatch(/^var\(--hp-code-token-[a-z-]+\)$/)
    at = end
  }
  expect(at).toBeLessThanOrEqual(text.length)
})

it('has a value in the theme for every colour it gives', async () => {
  const theme = await readFile(new URL('../theme.css', import.meta.url), 'utf8')
  const sources = await Promise.all(
    ['css', 'diff', 'go', 'html', 'rust', 'sql', 'tsx', 'yaml', 'shellscript'].map((language) =>
      highlight(
        'a: "b" -c +d @e <f g="h"> /* i */ // j\n# k\nselect 1 from `l` where fn m() { return $n }\n+o\n-p\n',
        language,
      ),
    ),
  )
  const names = new Set(sources.flat().map((look) => look.color?.slice(4, -1)))
  expect(names.size).toBeGreaterThan(4)
  for (const name of names) expect(theme).toContain(`${name}:`)
})

it('leaves long texts and unknown languages plain', async () => {
  expect(canHighlight('x'.repeat(20_001), 'json')).toBe(false)
  expect(canHighlight('\n'.repeat(400), 'json')).toBe(false)
  expect(canHighlight('x', 'constructor')).toBe(false)
  expect(canHighlight('x', undefined)).toBe(false)
  expect(await highlight('x', 'klingon')).toEqual([])
})
