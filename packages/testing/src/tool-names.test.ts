import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askUserQuestion } from '@holdpoint/agents/claude/asks/ask-user-question'
import { TOOLS } from '@holdpoint/agents/claude/asks/call-display'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const QUESTIONS = 'AskUserQuestion'
/** Another tool that drivers and core know, without a display of its own. */
const OTHERS = ['Workflow']
const NAMES = [...TOOLS.keys(), ...OTHERS]
/** Names that are ordinary words are looked for as whole strings: `Edit` is also what a button says. */
const WORDS = NAMES.filter((name) => /^[A-Z][a-z]+$/.test(name) && name !== 'Bash')
const LABELS = ['name', 'legend', 'label', 'title', 'aria-label', 'placeholder']
const FIELDS = ['file_path', 'notebook_path', 'old_string', 'new_string', 'new_source', 'replace_all', 'planFilePath']

/** What runs in people's browsers. The gallery and the fixtures show samples, and samples are of some tool. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['gallery', 'fixtures', 'testing', 'e2e'].includes(entry.name) ? [] : sources(path)
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

function namesIn(text: string): string[] {
  const word = `(?<name>${WORDS.join('|')})`
  const others = [...NAMES.filter((name) => !WORDS.includes(name)), ...FIELDS]
  const patterns = [
    `(['\`])${word}\\1`,
    // What people read is in attributes too: `label="Agent"`.
    `(?<!\\b(?:${LABELS.join('|')})=)"${word}"`,
    // A key of an object, or a property.
    `(?:^|[{,(])\\s*${word}\\??:`,
    `\\.${word}\\b`,
    `\\b(?<name>${others.join('|')})\\b`,
  ]
  return patterns.flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern, 'gm'))].map(({ groups }) => groups?.name ?? ''),
  )
}

describe('what only a driver knows', () => {
  it('is told apart from ordinary words', () => {
    const questions = [{ question: 'Which?', options: [{ label: 'A' }], multiSelect: false }]
    expect(askUserQuestion.matches(QUESTIONS, { questions })).toBe(true)
    expect(namesIn("if (name === 'Edit') use(input.file_path, 'Bash waits')")).toEqual(['Edit', 'file_path', 'Bash'])
    expect(namesIn('const ICONS = { Edit: Pencil,\n  Read: Book }\nICONS.Write')).toEqual(['Edit', 'Read', 'Write'])
    expect(namesIn('<Icon tool="Edit" /> [["Read", Book]] name === "Skill"')).toEqual(['Edit', 'Read', 'Skill'])
    expect(namesIn('<Fact name="Agent">Edit</Fact>')).toEqual([])
  })

  it.each(['packages/react/src', 'apps/web/src'])('is nowhere in %s: drivers hand over what a card shows', (folder) => {
    const paths = sources(join(root, folder))
    expect(paths.length).toBeGreaterThan(50)
    const found = paths.flatMap((path) =>
      namesIn(readFileSync(path, 'utf8')).map((name) => `${relative(root, path)}: ${name}`),
    )
    expect(found).toEqual([])
  })
})
