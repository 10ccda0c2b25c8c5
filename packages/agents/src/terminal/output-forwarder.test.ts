import { describe, expect, it } from 'vitest'
import { createOutputForwarder, PATIENCE_MS } from './output-forwarder.ts'

function world(window = 10) {
  const sent: string[] = []
  const held: boolean[] = []
  const caughtUp: string[] = []
  const timers = new Map<() => void, number>()
  const forwarder = createOutputForwarder({
    send: (stream, data) => sent.push(`${stream}:${data}`),
    hold: (isHeld) => held.push(isHeld),
    catchUp: (stream) => caughtUp.push(stream),
    after(milliseconds, callback) {
      timers.set(callback, milliseconds)
      return () => timers.delete(callback)
    },
    window,
  })
  /** Lets time pass up to so many milliseconds. */
  const pass = (milliseconds: number) => {
    for (const [callback, at] of [...timers]) {
      if (at > milliseconds || !timers.delete(callback)) continue
      callback()
    }
  }
  return { forwarder, sent, held, caughtUp, pass }
}

describe('createOutputForwarder', () => {
  it('sends nothing while nobody looks, and gathers what comes together', () => {
    const { forwarder, sent, pass } = world()
    forwarder.output('unseen')
    forwarder.view('a')
    forwarder.output('one ')
    forwarder.output('two')
    pass(10)
    expect(sent).toEqual(['a:one two'])
  })

  it('F46 is never further ahead than the window: then the program is held up until something is taken', () => {
    const { forwarder, sent, held, pass } = world(5)
    forwarder.view('a')
    forwarder.output('0123456789')
    pass(10)
    expect([sent, held]).toEqual([['a:01234'], [true]])
    forwarder.credit('a', 3)
    expect(sent).toEqual(['a:01234', 'a:567'])
    forwarder.credit('a', 5)
    expect([sent.at(-1), held]).toEqual(['a:89', [true, false]])
  })

  it('counts what it sends, not what it could have sent', () => {
    const { forwarder, sent, held, pass } = world(100)
    forwarder.view('a')
    for (let n = 0; n < 50; n++) {
      forwarder.output('x')
      pass(10)
    }
    expect([sent.length, held]).toEqual([50, []])
  })

  it('does not hold a program up for a gateway that is gone: it shows the screen to the next one', () => {
    const { forwarder, sent, held, caughtUp, pass } = world(5)
    forwarder.view('a')
    forwarder.output('0123456789')
    pass(10)
    pass(PATIENCE_MS)
    expect([held, forwarder.isViewed]).toEqual([[true, false], false])
    forwarder.output('left out')
    pass(10)
    expect(sent).toEqual(['a:01234'])
    forwarder.credit('a', 5)
    expect(caughtUp).toEqual(['a'])
    forwarder.view('b')
    forwarder.output('new')
    pass(10)
    expect(sent.at(-1)).toBe('b:new')
    // The old one's late words change nothing.
    forwarder.credit('a', 5)
    forwarder.leave('a')
    forwarder.output('er')
    pass(10)
    expect(sent.at(-1)).toBe('b:er')
  })

  it('says when a screen is ahead of what could be sent', () => {
    const { forwarder, held, pass } = world(2)
    forwarder.view('a')
    forwarder.output('ab')
    pass(10)
    expect(forwarder.discard()).toBe(false)
    forwarder.output('cd')
    pass(10)
    expect(forwarder.discard()).toBe(true)
    expect(held).toEqual([true, false])
  })

  it('cuts no character in two', () => {
    const { forwarder, sent, pass } = world(3)
    forwarder.view('a')
    forwarder.output('ab🙂cd')
    pass(10)
    expect(sent).toEqual(['a:ab🙂'])
  })
})
