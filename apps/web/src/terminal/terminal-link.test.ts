import { expect, it } from 'vitest'
import { readTerminalFrame } from './terminal-frame.ts'
import { createTerminalLink } from './terminal-link.ts'

/** A gateway that a test speaks for, and time that passes when it says so. */
function world() {
  const sockets: FakeSocket[] = []
  const timers: { ms: number; run: () => void }[] = []
  const pictures: string[] = []
  const output: string[] = []
  let keepsUp = true
  const link = createTerminalLink({
    open: () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    size: () => ({ cols: 90, rows: 30 }),
    onPicture: ({ data }) => pictures.push(data),
    onOutput: (data) => {
      output.push(data)
      return keepsUp
    },
    timers: {
      now: () => 0,
      after(ms, run) {
        const timer = { ms, run }
        timers.push(timer)
        return () => timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0)
      },
    },
    random: () => 1,
  })
  const last = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('there is no socket')
    return socket
  }
  return {
    link,
    sockets,
    timers,
    pictures,
    output,
    last,
    fallBehind() {
      keepsUp = false
    },
    retry() {
      timers.shift()?.run()
    },
    live() {
      last().onopen?.()
      last().receive({ type: 'screen', data: 'picture', cols: 80, rows: 24 })
    },
  }
}

class FakeSocket {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onerror: (() => void) | null = null
  onclose: (() => void) | null = null
  readonly sent: unknown[] = []
  isClosed = false
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.isClosed = true
  }
  receive(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
}

it('asks for the picture first, and is live with it', () => {
  const test = world()
  expect(test.link.getState().state).toBe('connecting')
  test.live()
  expect(test.last().sent).toEqual([{ type: 'view', cols: 90, rows: 30 }])
  expect(test.pictures).toEqual(['picture'])
  expect(test.link.getState()).toEqual({ state: 'live', writer: 'nobody', conversation: 'none', hasPicture: true })
  test.last().receive({ type: 'output', data: 'more' })
  expect(test.output).toEqual(['more'])
})

it('sends what is typed only while what is shown is live', () => {
  const test = world()
  test.link.type('too early')
  test.link.resize({ cols: 1, rows: 1 })
  test.live()
  test.link.type('y')
  test.last().onclose?.()
  test.link.type('too late')
  test.retry()
  test.last().onopen?.()
  test.link.type('before the new picture')
  expect(test.sockets.map(({ sent }) => sent)).toEqual([
    [
      { type: 'view', cols: 90, rows: 30 },
      { type: 'input', data: 'y' },
    ],
    [{ type: 'view', cols: 90, rows: 30 }],
  ])
})

it('sends a long paste in pieces, and no character in two', () => {
  const test = world()
  test.live()
  const paste = `a${'🎉\n'.repeat(20_000)}`
  test.link.type(paste)
  const pieces = test.last().sent.flatMap((frame) => (frame as { data?: string }).data ?? [])
  expect(pieces.join('')).toBe(paste)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.every((piece) => piece.length <= 65_536 && !/^\p{Cs}|\p{Cs}$/u.test(piece))).toBe(true)
})

it('comes back by itself with a new picture, waiting longer each time it fails', () => {
  const test = world()
  test.live()
  for (const _ of [1, 2, 3]) {
    test.last().onclose?.()
    expect(test.link.getState().state).toBe('lost')
    expect(test.timers).toHaveLength(1)
    test.retry()
  }
  test.last().onclose?.()
  expect(test.timers[0]?.ms).toBeGreaterThanOrEqual(2000)
  test.retry()
  test.live()
  expect(test.link.getState().state).toBe('live')
  expect(test.pictures).toHaveLength(2)
  test.last().onclose?.()
  expect(test.timers[0]?.ms).toBeLessThanOrEqual(250)
})

it('says who types', () => {
  const test = world()
  test.live()
  test.last().receive({ type: 'writer', you: false, busy: true })
  expect(test.link.getState().writer).toBe('other')
  test.last().receive({ type: 'writer', you: false, busy: false })
  expect(test.link.getState().writer).toBe('nobody')
  test.last().receive({ type: 'writer', you: true, busy: false })
  expect(test.link.getState().writer).toBe('you')
  test.last().onclose?.()
  expect(test.link.getState().writer).toBe('nobody')
})

it('[I10] asks for a new picture when it cannot keep up', () => {
  const test = world()
  test.live()
  test.fallBehind()
  test.last().receive({ type: 'output', data: 'flood' })
  expect(test.sockets).toHaveLength(2)
  expect(test.sockets[0]?.isClosed).toBe(true)
  test.sockets[0]?.receive({ type: 'output', data: 'late' })
  expect(test.output).toEqual(['flood'])
})

it('is over with the program', () => {
  const test = world()
  test.live()
  test.last().receive({ type: 'exit', code: 3 })
  expect(test.link.getState()).toMatchObject({ state: 'ended', exitCode: 3, hasPicture: true })
  expect(test.last().isClosed).toBe(true)
  test.link.restart()
  test.last().onclose?.()
  expect(test.sockets).toHaveLength(1)
  expect(test.timers).toHaveLength(0)
})

it('says of a program whose screen nobody kept that there is no picture', () => {
  const test = world()
  test.last().onopen?.()
  test.last().receive({ type: 'exit' })
  expect(test.link.getState()).toMatchObject({ state: 'ended', hasPicture: false })
})

it('holds nothing once it is closed', () => {
  const test = world()
  test.live()
  test.last().onclose?.()
  test.link.close()
  expect(test.timers).toHaveLength(0)
})

it('reads what the gateway says, and nothing else', () => {
  const broken = [
    undefined,
    '',
    '[',
    'null',
    '[]',
    '{"type":"screen","data":"x"}',
    '{"type":"screen","data":"x","cols":0,"rows":5}',
    '{"type":"screen","data":"x","cols":1e9,"rows":5}',
    '{"type":"output"}',
    '{"type":"writer","you":true}',
    '{"type":"error","error":{"code":"busy","message":"…"}}',
    '{"type":"news"}',
    new Blob(),
  ]
  for (const text of broken) expect(readTerminalFrame(text)).toBeUndefined()
  expect(readTerminalFrame('{"type":"exit","code":null}')).toEqual({ type: 'exit', code: undefined })
})

it('knows what is known of the conversation, until it is cut off', () => {
  const test = world()
  test.live()
  test.last().receive({ type: 'conversation', state: 'unknown' })
  expect(test.link.getState().conversation).toBe('unknown')
  test.last().receive({ type: 'conversation', state: 'something new' })
  expect(test.link.getState().conversation).toBe('unknown')
  test.last().onclose?.()
  expect(test.link.getState().conversation).toBe('none')
})
