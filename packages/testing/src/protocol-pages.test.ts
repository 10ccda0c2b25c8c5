import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DIALECTS } from '@holdpoint/server/dialects/shared/dialect'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltGateway, startBuiltGateway } from './built-gateway.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = (name: string) => readFileSync(`${root}docs/protocols/${name}.md`, 'utf8')

describe('the pages of the protocols', () => {
  it('are one for each, with a plain client for each dialect', () => {
    const pages = readdirSync(`${root}docs/protocols`).filter((name) => name !== 'README.md')
    expect(pages.sort()).toEqual([...DIALECTS, 'native'].map((name) => `${name}.md`).sort())
    const clients = readdirSync(`${root}examples/clients`).filter((name) => name.endsWith('.mjs'))
    expect(clients.sort()).toEqual(DIALECTS.map((name) => `${name}.mjs`).sort())
  })

  it.each([...DIALECTS])('%s says where it departs from its protocol', (name) => {
    expect(page(name)).toContain(`## Where it departs from the ${name} protocol, and why\n\n| section |`)
  })

  it.each([...DIALECTS])('%s has a plain client that imports nothing of this project', (name) => {
    const files = [`${name}.mjs`, ...readdirSync(`${root}examples/clients/lib`).map((file) => `lib/${file}`)]
    const imported = files.flatMap((file) => [
      ...readFileSync(`${root}examples/clients/${file}`, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g),
    ])
    const foreign = imported.map(([, from = '']) => from).filter((from) => !/^(node:.*|ws|\.\/[\w/.-]+)$/.test(from))
    expect(foreign).toEqual([])
  })
})

describe('the exchanges on the pages', () => {
  let gateway: BuiltGateway
  beforeAll(async () => {
    gateway = await startBuiltGateway()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  // In the order in which they are taken: the native one tells of all sessions, and there are none yet.
  it.each(['native', ...DIALECTS])('%s: what a client sends, and what it gets, as in a run of now', async (name) => {
    const { takeExchange } = (await import(
      /* @vite-ignore */ new URL('../../../scripts/transcripts/take.mjs', import.meta.url).href
    )) as { takeExchange(name: string, gateway: { url: string; token: string }): Promise<string[]> }
    const [, shown = ''] = /<!-- transcript -->\n```text\n([\s\S]+?)\n```\n<!-- \/transcript -->/.exec(page(name)) ?? []
    const run = await takeExchange(name, gateway)
    // `npm run transcripts` takes them anew.
    expect(steps(shown.split('\n'))).toEqual(steps(run))
    expect(comparable(shown.split('\n'))).toEqual(comparable(run))
  })
})

/** What the client does, step by step. */
function steps(lines: readonly string[]): string[] {
  return lines.filter((line) => /^[#→]/.test(line)).map(plainLine)
}

/** Every kind of line that was received, once: which comes when, and how often, depends on how fast things are. */
function comparable(lines: readonly string[]): string[] {
  const received = lines.filter((line) => line.startsWith('←') && !line.startsWith('← …'))
  return [...new Set(received.map(plainLine))].sort()
}

/** A line without what is another in each run. */
function plainLine(line: string): string {
  const [, start = '', json = ''] = /^(.*?)(\{.*\})?$/s.exec(line) ?? []
  return plainText(start) + (json === '' ? '' : JSON.stringify(plain(JSON.parse(json))))
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Told in pieces of any length, or read from the machine. */
const PIECES = new Set(['text-delta', 'tool-input-delta', 'text_delta', 'tool_call_delta'])
const LONG = 120

function plain(value: Json, key = ''): Json {
  if (typeof value === 'string') return plainText(value)
  if (typeof value === 'number') return key === 'seq' || value > 1_000_000 ? 'a number' : value
  if (Array.isArray(value)) return value.map((entry) => plain(entry))
  if (typeof value !== 'object' || value === null) return value
  if (typeof value.type === 'string' && PIECES.has(value.type)) return { type: value.type }
  const isStatus = value.type === 'session_status' || (value.type === 'process_state' && !value.pending_request)
  const fields = Object.entries(value).filter(([name]) => name !== 'memory' && name !== 'model')
  return Object.fromEntries(
    fields.map(([name, part]) => {
      // How a session stands at each moment is a matter of speed; that it is told, and in which fields, is not.
      if (isStatus && name !== 'type' && typeof part !== 'object') return [name, typeof part]
      return [name, isStatus && name === 'data' && part ? shapeOf(part) : plain(part, name)]
    }),
  )
}

function shapeOf(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'model')
      .map(([name, part]) => [name, typeof part]),
  )
}

function plainText(text: string): string {
  const plainer = text
    .replace(/\/[\w./-]*?\/demo\/scratch\/[\w-]+/g, '/scratch')
    .replace(/-[\w-]*?-demo-scratch-[\w-]+/g, '-scratch')
    .replace(/\b(ses|ask|itm|dev)_[0-9a-z]{26}\b/g, '$1')
    .replace(/\btoolu_\w+/g, 'toolu')
    .replace(/\b[0-9a-f]{64}\b/g, 'digest')
    .replace(/\b\d+-[0-9a-f]{16}\b/g, 'cursor')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'uuid')
  return plainer.length > LONG || plainer.endsWith('(cut)') ? 'a long text' : plainer
}
