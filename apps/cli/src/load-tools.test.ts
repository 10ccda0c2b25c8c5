import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CliError } from './console/cli-error.ts'
import { loadTools } from './load-tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'hp-tools-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
function written(text: string): string {
  const file = join(folder, `tools-${++count}.mjs`)
  writeFileSync(file, text)
  return file
}
const entry = (fields: string) => `export default [{ ${fields} }]`
const functions = 'matches: () => true, toAsk: () => ({ title: "x" })'

it('takes the list that a module exports by default', async () => {
  const approval = `{ name: 'a', kind: 'approval', ${functions} }`
  const form = `{ name: 'b', kind: 'form', ${functions}, fromOutcome: () => ({}) }`
  const tools = await loadTools(written(`export default [${approval}, ${form}]`))
  expect(tools).toMatchObject([
    { name: 'a', kind: 'approval' },
    { name: 'b', kind: 'form' },
  ])
})

it.each([
  ['export const tool = {}', 'its default export must be a list of interactive tools'],
  ['export default {}', 'its default export must be a list of interactive tools'],
  ['export default []', 'its default export must be a list of interactive tools'],
  ['export default ["x"]', 'entry 1 is not an object.'],
  [entry(`kind: 'form', ${functions}`), 'entry 1 has no name.'],
  [
    entry(`name: 'a', kind: 'plan', ${functions}`),
    'entry 1 has an unknown kind; the kinds are approval, question, form.',
  ],
  [entry(`name: 'a', kind: 'approval'`), 'entry 1 has no "matches" function.'],
  [entry(`name: 'a', kind: 'approval', matches() {}`), 'entry 1 has no "toAsk" function.'],
  [entry(`name: 'a', kind: 'question', ${functions}`), 'entry 1 is a question and has no "fromOutcome" function.'],
  ['import "./nowhere.mjs"', 'it cannot be loaded: '],
  ['export default [', 'it cannot be loaded: '],
  ['throw new Error("no \\u001b[2J today")', 'it cannot be loaded: no '],
])('says what is wrong with %s', async (text, words) => {
  const failure = await loadTools(written(text)).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CliError)
  expect((failure as CliError).message).toContain(words)
  expect((failure as CliError).message).not.toContain('\u001b')
})

it('says that a file is not there, by the name that was given', async () => {
  await expect(loadTools('no/such.mjs')).rejects.toThrow('--tools no/such.mjs: there is no such file.')
})
