import type { DriverStart } from '@holdpoint/core/driver'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createInteractiveTools } from '../claude/interactive-tools.ts'
import type { CallEnd } from '../transcript/call-end.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { createScreenAsks } from './screen-asks.ts'
import { readDialog } from './screen-dialog.ts'

const CALL = {
  toolUseId: 'toolu_1',
  name: 'Bash',
  input: { command: 'touch made.txt' },
  at: 0,
  isRunning: false,
}
const outcome = (kind: Outcome['kind'], answer: Record<string, unknown> = {}): Outcome => ({
  kind,
  at: 0,
  via: 'web',
  answer,
})

/** A terminal that shows recorded screens, and what is typed into it. */
function world() {
  const typed: string[] = []
  const notices: string[] = []
  const delivered: string[] = []
  const elsewhere: unknown[] = []
  const requests: AskRequest[] = []
  const over = new AbortController()
  const { clock, advance } = createManualClock()
  let screen = recordedScreen('bash')
  let isOpen = true
  let settle = (_outcome: Outcome) => {}
  let onKey = (_keys: string) => {}
  /** What happens while the transcript is being read, before a key is typed. */
  let onRead = () => {}

  const start = {
    cwd: '/code/project',
    ask(request: AskRequest) {
      requests.push(request)
      return new Promise<Outcome>((resolve) => {
        settle = resolve
      })
    },
    delivered: (ids: readonly string[]) => void delivered.push(...ids),
    answeredElsewhere: async (requestId: string, answer: unknown) => {
      elsewhere.push({ requestId, answer })
      settle({ kind: 'withdrawn', at: 0, via: 'terminal', reason: 'answered-elsewhere' })
      return undefined
    },
  } as unknown as DriverStart
  const asks = createScreenAsks({
    start,
    terminal: {
      idleMs: 10_000,
      async typeIf(keys, lines) {
        // As the helper does it: by the screen that is there at that moment.
        const isThere = screen.join('\n').includes(lines.join('\n'))
        if (isThere) {
          typed.push(keys)
          onKey(keys)
        }
        return isThere
      },
    },
    tools: createInteractiveTools(),
    clock,
    conversation: { readNow: async () => onRead(), isOpen: () => isOpen, cwd: '/code/project' },
    dialog: () => readDialog(screen),
    onOver: () => {},
    plansFolder: '/nowhere',
    notice: (level, text) => notices.push(`${level}: ${text}`),
    warn: (message) => notices.push(`warning: ${message}`),
    signal: over.signal,
  })
  function end(kind: CallEnd) {
    isOpen = false
    asks.ended({ call: CALL, end: kind })
  }
  return {
    asks,
    advance,
    typed,
    notices,
    delivered,
    elsewhere,
    requests,
    show(name: string) {
      screen = recordedScreen(name)
      asks.screenChanged()
    },
    /** As `show`, with the number that a dialog has where several wait. */
    showNumbered(name: string, number: string) {
      screen = recordedScreen(name).map((line) => (line === ' Bash command' ? ` Bash command      ${number}` : line))
      asks.screenChanged()
    },
    end,
    settle: (given: Outcome) => settle(given),
    whenTyped: (act: (keys: string) => void) => {
      onKey = act
    },
    whenRead: (act: () => void) => {
      onRead = act
    },
    recheck: () => asks.recheck({ requestId: 'terminal:toolu_1' } as Ask),
  }
}

describe('an ask that was read off a screen', () => {
  it('[I1] is answered once: a dialog that looks the same and comes next is not typed into', async () => {
    const { asks, typed, notices, delivered, requests, settle, showNumbered, whenTyped, recheck } = world()
    showNumbered('bash', '1 of 2')
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    whenTyped(() => showNumbered('bash', '2 of 2'))
    settle(outcome('allowed'))
    await expect.poll(() => delivered).toEqual(['terminal:toolu_1'])
    expect([typed, notices]).toEqual([['1'], []])
    expect(asks.isOver(CALL)).toBe(true)
    expect(await recheck()).toBeDefined()
  })

  it('[I1] is answered with one yes: where the dialog seems to stay, it may be the next one', async () => {
    const { asks, advance, typed, notices, delivered, requests, settle, show, whenTyped } = world()
    show('bash')
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    whenTyped(() => show('bash'))
    settle(outcome('allowed'))
    await expect
      .poll(() => {
        advance(1000)
        return notices
      })
      .toHaveLength(1)
    expect(notices[0]).toContain('nothing confirms that it was taken')
    expect([typed, delivered]).toEqual([['1'], []])
  })

  it('is raised once, as any other of its kind, and typed when it is answered', async () => {
    const { asks, typed, delivered, notices, requests, settle, show, end, whenTyped } = world()
    asks.raise(CALL)
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      requestId: 'terminal:toolu_1',
      toolUseId: 'toolu_1',
      kind: 'approval',
      title: 'Bash: touch made.txt',
      context: { command: 'touch made.txt' },
    })
    whenTyped(() => {
      show('idle')
      end({ kind: 'ran', isError: false })
    })
    settle(outcome('allowed'))
    await expect.poll(() => delivered).toEqual(['terminal:toolu_1'])
    expect([typed, notices]).toEqual([['1'], []])
  })

  it('is confirmed where the digit only moves the cursor', async () => {
    const { asks, typed, delivered, requests, settle, show, end, whenTyped } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    whenTyped((keys) => {
      if (keys !== '\r') return show('bash-on-no')
      show('idle')
      end({ kind: 'denied' })
    })
    settle(outcome('denied'))
    await expect.poll(() => delivered).toEqual(['terminal:toolu_1'])
    expect(typed).toEqual(['4', '\r'])
  })

  it('is not typed into a dialog that took its place', async () => {
    const { asks, typed, delivered, notices, requests, settle, show } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    show('bash-long')
    settle(outcome('allowed'))
    await expect.poll(() => notices).toHaveLength(1)
    expect(notices[0]).toContain('was not typed: the terminal does not show it any more')
    expect([typed, delivered]).toEqual([[], []])
  })

  it('is not typed into one that took its place in the last moment', async () => {
    const { asks, typed, notices, requests, settle, show, whenRead } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    whenRead(() => show('write'))
    settle(outcome('allowed'))
    await expect.poll(() => notices).toHaveLength(1)
    expect(typed).toEqual([])
  })

  it('is not typed into one that looks the same, when the transcript says that its own is over', async () => {
    const { asks, typed, notices, requests, settle, end, whenRead } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    whenRead(() => end({ kind: 'denied' }))
    settle(outcome('allowed'))
    await expect.poll(() => notices).toHaveLength(1)
    expect(notices[0]).toContain('the answer here was yes, but at the terminal somebody said no first')
    expect(typed).toEqual([])
  })

  it('says so when nothing confirms what was typed', async () => {
    const { asks, advance, typed, delivered, notices, requests, settle, show, whenTyped } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    // The dialog goes, but the transcript never says that the call was refused.
    whenTyped(() => show('idle'))
    settle(outcome('denied'))
    await expect
      .poll(() => {
        advance(1000)
        return notices
      })
      .toHaveLength(1)
    expect(notices[0]).toContain('nothing confirms that it was taken')
    expect([typed, delivered]).toEqual([['4'], []])
  })

  it('is withdrawn with what was chosen when somebody answers at the terminal', async () => {
    const { asks, elsewhere, typed, requests, end } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    end({ kind: 'denied', message: 'no' })
    await expect
      .poll(() => elsewhere)
      .toEqual([{ requestId: 'terminal:toolu_1', answer: { kind: 'deny', message: 'no' } }])
    expect(typed).toEqual([])
  })

  it('cannot be answered any more once the terminal shows something else', async () => {
    const { asks, requests, recheck, show } = world()
    expect(await recheck()).toContain('read anew')
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    expect(await recheck()).toBeUndefined()
    show('idle')
    expect(await recheck()).toContain('does not show this any more')
  })
})
