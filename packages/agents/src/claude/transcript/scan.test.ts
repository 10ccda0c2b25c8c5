import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scanCallLines, scanFile } from './scan.ts'
import { scanCalls } from './scan-calls.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-scan-'))
  path = join(folder, 'session.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const call = (id: string, message = 'm1', at = '2026-01-01T00:00:00.000Z') =>
  JSON.stringify({
    type: 'assistant',
    timestamp: at,
    message: { id: message, content: [{ type: 'tool_use', id, name: 'Bash', input: { command: id } }] },
  })
const result = (id: string) =>
  JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: '' }] } })
const words = (text: string) =>
  JSON.stringify({ type: 'assistant', message: { id: 'w', content: [{ type: 'text', text }] } })

describe('scanning for tool calls', () => {
  it('finds the lines that a loop over lines finds', () => {
    const line = fc.constantFrom(
      call('t1'),
      result('t1'),
      words('nothing'),
      words('a "tool_use" in words'),
      '{"tool_choice":"tool_',
      '"tool_use_id" alone',
      '',
      '"tool_',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.boolean(), (lines, isEnded) => {
        const text = lines.join('\n') + (isEnded ? '\n' : '')
        const found: string[] = []
        const buffer = Buffer.from(text)
        scanCallLines(buffer, (start, end) => found.push(buffer.toString('utf8', start, end)))
        expect(found).toEqual(lines.filter((one) => one.includes('"tool_use"')))
      }),
    )
  })

  it('hands over entries with their places, also across chunks and from a last line without an end', async () => {
    const filler = words('x'.repeat(300_000))
    const lines = Array.from({ length: 12 }, (_, index) => [filler, call(`t${index}`, `m${index}`)]).flat()
    await writeFile(path, lines.join('\n'))
    const found: [string, number][] = []
    await scanFile(path, (entry, offset) => {
      if (entry.type === 'assistant') found.push([String(entry.content[0]?.id), offset])
    })
    let offset = 0
    const expected = lines.flatMap((line): [string, number][] => {
      const start = offset
      offset += line.length + 1
      return line === filler ? [] : [[String(JSON.parse(line).message.content[0].id), start]]
    })
    expect(found).toEqual(expected)
  })

  it('reads a line of megabytes, and none over the limit', async () => {
    const long = JSON.stringify({ ...JSON.parse(call('long')), padding: 'x'.repeat(5 * 1024 * 1024) })
    await writeFile(path, `${call('t1')}\n${long}\n`)
    for (let count = 0; count < 5; count++) await appendFile(path, Buffer.alloc(4 * 1024 * 1024, '"tool_use"'))
    await appendFile(path, `\n${call('t2')}\n`)
    const found: unknown[] = []
    await scanFile(path, (entry) => found.push(entry.type === 'assistant' && entry.content[0]?.id))
    expect(found).toEqual(['t1', 'long', 't2'])
  })

  it('says when there is no file', async () => {
    expect(await scanFile(path, () => {})).toBe(false)
  })

  it('ends when it is told to', async () => {
    await writeFile(path, call('t1'))
    await expect(scanFile(path, () => {}, { signal: AbortSignal.abort() })).rejects.toThrow()
  })
})

describe('the calls that are open at the end of a file', () => {
  it('are those without a result, with the time at which they were written', async () => {
    await writeFile(
      path,
      `${[call('t1'), result('t1'), call('t2', 'm2'), call('t3', 'm2'), result('t2')].join('\n')}\n`,
    )
    const { open } = await scanCalls(path)
    expect([...open.values()]).toMatchObject([{ toolUseId: 't3', at: Date.UTC(2026, 0, 1) }])
  })

  it('are none when the conversation went on in words', async () => {
    await writeFile(path, `${[call('t1'), words('never mind')].join('\n')}\n`)
    expect((await scanCalls(path)).open.size).toBe(0)
  })

  it('come with the mode that was set last, not with one that a tool’s input names', async () => {
    const mode = JSON.stringify({ type: 'permission-mode', permissionMode: 'acceptEdits' })
    const spoof = JSON.stringify({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'x', input: { permissionMode: 'dontAsk' } }] },
    })
    await writeFile(path, `${[mode, spoof].join('\n')}\n`)
    const calls = await scanCalls(path)
    expect(calls.permissionMode).toBe('acceptEdits')
    expect([...calls.open.keys()]).toEqual(['t'])
  })

  it('are none without a file', async () => {
    expect(await scanCalls(path)).toEqual({ open: new Map() })
  })
})
