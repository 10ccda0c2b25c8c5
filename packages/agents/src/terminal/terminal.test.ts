import type { Clock } from '@holdpoint/core/clock'
import { systemClock } from '@holdpoint/server/system/system-clock'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import type { HostAgent } from '../host/client/host-agent.ts'
import type { HelperCommand, HelperEvent } from './helper-protocol.ts'
import { createTerminal, type TerminalViewer } from './terminal.ts'

const SIZE = { cols: 80, rows: 24 }

/** A terminal whose helper is the test. */
function world(clock: Clock = systemClock) {
  const told: HelperCommand[] = []
  const acks: number[] = []
  let onLine = (_n: number, _line: string) => {}
  let lines = 0
  let settleExit = () => {}
  const agent = {
    onLine: (listener: typeof onLine) => {
      onLine = listener
    },
    write: async (line: string) => {
      told.push(JSON.parse(line))
      return { dropped: false }
    },
    ack: (n: number) => acks.push(n),
    exit: new Promise((resolve) => {
      settleExit = () => resolve({ code: 0, signal: null, stderrTail: '' })
    }),
  } as unknown as HostAgent
  const terminal = createTerminal(agent, { clock, onFault: () => {} })
  const say = (event: HelperEvent) => onLine(++lines, JSON.stringify(event))
  const last = <Type extends HelperCommand['type']>(type: Type) =>
    told.findLast((command) => command.type === type) as Extract<HelperCommand, { type: Type }> | undefined
  const stream = () => last('view')?.stream ?? ''

  function viewer() {
    const seen: string[] = []
    let isWritable = true
    let wake = () => {}
    const self: TerminalViewer = {
      onScreen: ({ data }) => seen.push(`screen ${data}`),
      onOutput: (data) => seen.push(data),
      onWriter: ({ you, busy }) => seen.push(`writer ${you} ${busy}`),
      onExit: (code) => seen.push(`exit ${code}`),
      get writable() {
        return isWritable
      },
      ready: () =>
        isWritable
          ? Promise.resolve()
          : new Promise((resolve) => {
              wake = resolve
            }),
    }
    return {
      self,
      seen,
      block: () => {
        isWritable = false
      },
      free: () => {
        isWritable = true
        wake()
      },
    }
  }
  const screen = (data: string, ref = last('view')?.ref ?? '') =>
    say({ type: 'screen', stream: stream(), ref, data, ...SIZE })
  return { terminal, told, acks, say, last, stream, viewer, screen, exit: () => settleExit() }
}

describe('createTerminal', () => {
  it('sends output to those who have had the screen that it follows on', () => {
    const { terminal, say, stream, viewer, screen } = world()
    const [one, two] = [viewer(), viewer()]
    terminal.view(one.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    terminal.view(two.self, { ...SIZE, scrollback: 0, mayType: true })
    say({ type: 'output', stream: stream(), data: 'b' })
    screen('AB')
    say({ type: 'output', stream: stream(), data: 'c' })
    say({ type: 'output', stream: 'of an earlier gateway', data: 'x' })
    expect(one.seen).toEqual(['screen A', 'writer false false', 'b', 'c'])
    expect(two.seen).toEqual(['screen AB', 'writer false false', 'c'])
  })

  it('I10 leaves a slow viewer behind, who gets a screen instead of what was missed; others go on', async () => {
    const { terminal, told, say, stream, viewer, screen } = world()
    const [slow, fast] = [viewer(), viewer()]
    terminal.view(slow.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    terminal.view(fast.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    slow.block()
    say({ type: 'output', stream: stream(), data: 'b' })
    say({ type: 'output', stream: stream(), data: 'c' })
    const views = told.filter(({ type }) => type === 'view').length
    slow.free()
    await expect.poll(() => told.filter(({ type }) => type === 'view')).toHaveLength(views + 1)
    screen('ABC')
    expect(fast.seen.filter((text) => text.length === 1)).toEqual(['b', 'c'])
    expect(slow.seen).toEqual(['screen A', 'writer false false', 'screen ABC'])
  })

  it('F46 gives credit for what was taken, and none while nobody can take anything', async () => {
    const { terminal, last, say, stream, viewer, screen } = world()
    const one = viewer()
    terminal.view(one.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    say({ type: 'output', stream: stream(), data: '12345' })
    await expect.poll(() => last('credit')).toEqual({ type: 'credit', stream: stream(), characters: 5 })
    one.block()
    say({ type: 'output', stream: stream(), data: '123' })
    expect(last('credit')?.characters).toBe(5)
    one.free()
    await expect.poll(() => last('credit')?.characters).toBe(3)
  })

  it('keeps the exit code for the next gateway until it is on record', async () => {
    const { terminal, acks, say, viewer, screen, exit } = world()
    const one = viewer()
    terminal.view(one.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    say({ type: 'last-screen', data: 'A', ...SIZE })
    say({ type: 'exit', code: 7 })
    exit()
    expect(await terminal.exited).toBe(7)
    expect(one.seen.at(-1)).toBe('exit 7')
    expect(acks).toEqual([1])
    expect(await terminal.typeIf('1', ['x'])).toBe('refused')
  })

  it('shows how it ended to whoever had no screen by then, and to whoever comes later', () => {
    const { terminal, say, viewer, screen } = world()
    const [current, asking, late] = [viewer(), viewer(), viewer()]
    terminal.view(current.self, { ...SIZE, scrollback: 0, mayType: true })
    screen('A')
    terminal.view(asking.self, { ...SIZE, scrollback: 0, mayType: true })
    say({ type: 'last-screen', data: 'all of it', ...SIZE })
    say({ type: 'exit', code: 7 })
    const view = terminal.view(late.self, { ...SIZE, scrollback: 0, mayType: true })
    expect(view.input('x')).toBe(false)
    expect(current.seen).toEqual(['screen A', 'writer false false', 'exit 7'])
    expect(asking.seen).toEqual(['screen all of it', 'exit 7'])
    expect(late.seen).toEqual(['screen all of it', 'exit 7'])
  })

  it('[I1] says that a key may have been typed where the helper says nothing, and gives it no time for a late one', async () => {
    const { clock, advance } = createManualClock()
    const { terminal, last, say } = world(clock)
    const answered = terminal.typeIf('1', ['x'])
    const { ref = '', before = 0 } = last('type-if') ?? {}
    advance(6000)
    expect(before).toBeLessThan(clock.now())
    // Held up, and back: it has not typed what was too late.
    say({ type: 'typed', ref, typed: false })
    expect(await answered).toBe('refused')
    const silent = terminal.typeIf('1', ['x'])
    advance(30_000)
    expect(await silent).toBe('unknown')
  })

  it('has the size of somebody who may type, never of one who only looks', () => {
    const { terminal, last, viewer } = world()
    const looking = terminal.view(viewer().self, { cols: 5, rows: 5, scrollback: 0, mayType: false })
    looking.resize({ cols: 6, rows: 6 })
    expect(last('resize')).toBeUndefined()
    terminal.view(viewer().self, { ...SIZE, scrollback: 0, mayType: true })
    expect(last('resize')).toEqual({ type: 'resize', ...SIZE })
    looking.resize({ cols: 7, rows: 7 })
    expect(last('resize')).toEqual({ type: 'resize', ...SIZE })
  })

  it('keeps the keyboard for who has typed, and not for who was refused because something is asked', async () => {
    const { terminal, last, say, viewer } = world()
    const reply = (typed: boolean) => say({ type: 'typed', ref: last('type-if-free')?.ref ?? '', typed })
    const other = terminal.view(viewer().self, { ...SIZE, scrollback: 0, mayType: true })
    const refused = terminal.typeIfFree('one', 'n\r')
    expect(other.input('x')).toBe(false)
    reply(false)
    expect(await refused).toBe('asked')
    const typing = terminal.typeIfFree('one', 'n\r')
    reply(true)
    expect(await typing).toBe('typed')
    expect(other.input('x')).toBe(false)
    expect(await terminal.typeIfFree('two', 'n\r')).toBe('busy')
  })

  it('stops the output when the last one has gone', () => {
    const { terminal, last, stream, viewer } = world()
    const views = [viewer(), viewer()].map(({ self }) => terminal.view(self, { ...SIZE, scrollback: 0, mayType: true }))
    views[0]?.close()
    expect(last('leave')).toBeUndefined()
    views[1]?.close()
    expect(last('leave')).toEqual({ type: 'leave', stream: stream() })
  })
})
