import { expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { lineWords } from './line-words.ts'

const path = '/w/src/a.ts'
const lines = {
  'a command': sampleAsk({ context: { cwd: '/w', command: 'npm test\nrm -rf build' } }),
  'a file': sampleAsk({ tool: { name: 'Edit', input: {} }, context: { cwd: '/w', filePath: path } }),
  'any other tool': sampleAsk({ tool: { name: 'Post', input: { channel: '#ops' } }, context: {} }),
  'a tool without input': sampleAsk({ tool: { name: 'Ping', input: {} }, context: {} }),
  'a large ask': sampleAsk({ title: 'Write: a.ts', context: {}, omitted: { digest: 'd', characters: 9e6 } }),
  'a question': sampleAsk({
    kind: 'question',
    questions: [{ question: 'Which colour?', options: [], multiSelect: false }],
  }),
  'a plan': sampleAsk({ kind: 'plan', plan: { text: '\n# Do it\nThen rest' } }),
  'a form': sampleAsk({ kind: 'form', form: { mode: 'form', server: 'deploys', message: 'Where to?' } }),
}

it('says of each kind of ask what it is about', () => {
  const told = Object.values(lines).map((ask) => {
    const { tool, text } = lineWords(ask)
    return `${tool} | ${text}`
  })
  expect(told).toEqual([
    'Bash | npm test\nrm -rf build',
    'Edit | src/a.ts',
    'Post | {"channel":"#ops"}',
    'Ping | ',
    'Bash | Write: a.ts',
    'Question | Which colour?',
    'Plan | # Do it\nThen rest',
    'Form | deploys: Where to?',
  ])
})

it('cuts what no line can show, and says so', () => {
  const { text } = lineWords(sampleAsk({ context: { command: 'x'.repeat(5000) } }))
  expect(text).toBe(`${'x'.repeat(400)}…`)
})
