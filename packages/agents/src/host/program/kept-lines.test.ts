import { describe, expect, it } from 'vitest'
import { readAgentLine } from '../wire/control-line.ts'
import { KeptLines } from './kept-lines.ts'

function keep(...lines: string[]): KeptLines {
  const kept = new KeptLines()
  for (const line of lines) kept.push(Buffer.from(line), readAgentLine(Buffer.from(line)))
  return kept
}

function takeAll(kept: KeptLines): [number, string][] {
  const taken: [number, string][] = []
  for (let line = kept.take(); line; line = kept.take()) taken.push([line.n, String(line.bytes)])
  return taken
}

describe('KeptLines', () => {
  it('gives each line once until it is rewound, then what was not acknowledged', () => {
    const kept = keep('a', 'b', 'c')
    expect(takeAll(kept)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ])
    expect(takeAll(kept)).toEqual([])
    kept.acknowledge(1)
    kept.push(Buffer.from('d'), undefined)
    expect(takeAll(kept)).toEqual([[4, 'd']])
    kept.rewind(2)
    expect(takeAll(kept)).toEqual([
      [3, 'c'],
      [4, 'd'],
    ])
  })

  it('leaves control lines out after a rewind and goes on with the numbers', () => {
    const request = '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}'
    const kept = keep('a', request, 'b')
    kept.rewind(0)
    kept.push(Buffer.from(request), readAgentLine(Buffer.from(request)))
    expect(takeAll(kept)).toEqual([
      [1, 'a'],
      [3, 'b'],
      [4, request],
    ])
  })

  it('is empty again when all is acknowledged, and counts empty lines as something', () => {
    const kept = keep('', 'abc')
    expect(kept.bytes).toBeGreaterThan(3)
    kept.acknowledge(99)
    expect(kept.bytes).toBe(0)
    expect(kept.count).toBe(2)
  })
})
