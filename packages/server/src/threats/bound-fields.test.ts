import { createHash } from 'node:crypto'
import { digestText } from '@holdpoint/core/ask-machine'
import type { Ask } from '@holdpoint/schema/ask'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const digestOf = (ask: Ask) => createHash('sha256').update(digestText(ask)).digest('hex')
const hash = (letter: string) => letter.repeat(64)
const FILE = { path: '/w/build.sh', use: 'runs', sha256: hash('a'), after: hash('c') } as const

/** Each changes one thing that a yes rests on. */
const CHANGES: Readonly<Record<string, (ask: Ask) => Partial<Ask>>> = {
  agent: () => ({ agent: 'another' }),
  session: () => ({ sessionId: 'ses_another' as Ask['sessionId'] }),
  epoch: ({ epoch }) => ({ epoch: epoch + 1 }),
  request: () => ({ requestId: 'another' }),
  kind: () => ({ kind: 'plan' }),
  tool: ({ tool }) => ({ tool: { name: 'Shell', input: tool?.input ?? {} } }),
  input: () => ({ tool: { name: 'Bash', input: { command: 'sh build.sh ' } } }),
  'no input': () => ({ tool: undefined }),
  folder: () => ({ context: { cwd: '/w/sub' } }),
  'no folder': () => ({ context: {} }),
  questions: () => ({ questions: [{ question: 'Sure?', options: [], multiSelect: false }] }),
  plan: () => ({ plan: { text: 'another' } }),
  'no plan': () => ({ plan: undefined }),
  form: () => ({ form: { mode: 'form', server: 's', message: 'm' } }),
  "a file's path": () => ({ files: [{ ...FILE, path: '/w/other.sh' }] }),
  "a file's hash": () => ({ files: [{ ...FILE, sha256: hash('b') }] }),
  'a file that is gone': () => ({ files: [{ ...FILE, sha256: null }] }),
  "a file's use": () => ({ files: [{ ...FILE, use: 'edits' }] }),
  "an edit's result": () => ({ files: [{ ...FILE, after: hash('d') }] }),
  "no edit's result": () => ({ files: [{ path: FILE.path, use: FILE.use, sha256: FILE.sha256 }] }),
  'one more file': () => ({ files: [FILE, FILE] }),
  'no files': () => ({ files: undefined }),
  'why files are unknown': () => ({ filesUnknown: 'It has another loop.' }),
  'no word on unknown files': () => ({ filesUnknown: undefined }),
}

it('T23 an answer to what differs in one bound field gets 409, and the ask stays open', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent, {
    tool: { name: 'Bash', input: { command: 'sh build.sh' } },
    context: { cwd: '/w' },
    plan: { text: 'shown' },
    files: [FILE],
    filesUnknown: 'It has a loop.',
  })
  expect(digestOf(ask)).toBe(ask.digest)
  for (const [field, change] of Object.entries(CHANGES)) {
    const seen = digestOf({ ...ask, ...change(ask) } as Ask)
    expect(seen, field).not.toBe(ask.digest)
    const reply = await test.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: seen })
    expect(reply, field).toMatchObject({ status: 409, body: { error: { code: 'digest_mismatch' } } })
  }
  const flipped = ask.digest.replace(/^./, (first) => (first === '0' ? '1' : '0'))
  for (const digest of [flipped, ask.digest.slice(1), ask.digest.toUpperCase(), '', undefined]) {
    const reply = await test.api.call('POST', `/api/asks/${ask.id}/answer`, {
      kind: 'allow',
      ...(digest !== undefined && { digest }),
    })
    expect(reply, String(digest)).toMatchObject({ status: 409 })
  }
  expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
})
