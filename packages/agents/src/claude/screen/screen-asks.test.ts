import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DriverStart } from '@holdpoint/core/driver'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
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

interface WorldOptions {
  readonly answered?: 'delivered' | 'undelivered'
  readonly isOnly?: boolean
  readonly mayWantPerson?: boolean
  /** What the recorded dialog is about, in place of its own command. */
  readonly command?: string
}

/** A terminal that shows recorded screens, and what is typed into it. */
function world({ answered, isOnly = true, command, mayWantPerson = true }: WorldOptions = {}) {
  const recorded = (name: string) =>
    recordedScreen(name).map((line) => (command ? line.replace('touch made.txt', command) : line))
  const typed: string[] = []
  const notices: string[] = []
  const delivered: string[] = []
  const elsewhere: unknown[] = []
  const requests: AskRequest[] = []
  /** Of each request: whether a rule may allow it. */
  const ruleable: (boolean | undefined)[] = []
  const over = new AbortController()
  const { clock, advance } = createManualClock()
  let screen = recorded('bash')
  let isOpen = true
  /** Whether the terminal says what it has typed. */
  let isSilent = false
  let settle = (_outcome: Outcome) => {}
  let onKey = (_keys: string) => {}
  /** What happens while the transcript is being read, before a key is typed. */
  let onRead = () => {}

  const start = {
    cwd: '/code/project',
    ask(request: AskRequest, { mayRuleAllow }: { mayRuleAllow?: boolean }) {
      requests.push(request)
      ruleable.push(mayRuleAllow)
      if (answered) return Promise.resolve(outcome('allowed'))
      return new Promise<Outcome>((resolve) => {
        settle = resolve
      })
    },
    answered: async () => answered,
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
        if (isSilent) return 'unknown'
        return isThere ? 'typed' : 'refused'
      },
    },
    tools: createInteractiveTools(),
    clock,
    conversation: { readNow: async () => onRead(), isOpen: () => isOpen, cwd: '/code/project' },
    dialog: () => readDialog(screen),
    isOnly: () => isOnly,
    onOver: () => {},
    mayWantPerson: async () => mayWantPerson,
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
    ruleable,
    show(name: string) {
      screen = recorded(name)
      asks.screenChanged()
    },
    /** As `show`, with the number that a dialog has where several wait. */
    showNumbered(name: string, number: string) {
      screen = recordedScreen(name).map((line) => (line === ' Bash command' ? ` Bash command      ${number}` : line))
      asks.screenChanged()
    },
    end,
    settle: (given: Outcome) => settle(given),
    saysNothing: () => {
      isSilent = true
    },
    whenTyped: (act: (keys: string) => void) => {
      onKey = act
    },
    whenRead: (act: () => void) => {
      onRead = act
    },
    recheck: () => asks.recheck({ requestId: 'terminal:toolu_1' } as Ask),
  }
}

async function saidToBeUnconfirmed({ advance, notices }: Pick<ReturnType<typeof world>, 'advance' | 'notices'>) {
  await expect
    .poll(() => {
      advance(1000)
      return notices
    })
    .toHaveLength(1)
  expect(notices[0]).toContain('nothing confirms that it was accepted')
}

describe('an ask that was read off a screen', () => {
  it('T65 may be allowed by a rule only where Claude Code does not want a person each time', async () => {
    const mayBeRuled = async (mayWantPerson: boolean, command = 'touch made.txt') => {
      const { asks, ruleable } = world({ mayWantPerson })
      asks.raise({ ...CALL, input: { command } })
      await expect.poll(() => ruleable).toHaveLength(1)
      return ruleable[0]
    }
    expect(await mayBeRuled(false)).toBe(true)
    expect(await mayBeRuled(true)).toBe(false)
    expect(await mayBeRuled(false, 'touch .claude/made.txt')).toBe(false)
  })

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
    await saidToBeUnconfirmed({ advance, notices })
    expect([typed, delivered]).toEqual([['1'], []])
  })

  it('[I1] is pressed once where nobody says whether it was typed: it may have been, and the next dialog looks the same', async () => {
    const { asks, advance, typed, notices, delivered, requests, settle, show, saysNothing } = world()
    show('bash')
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    saysNothing()
    settle(outcome('allowed'))
    await saidToBeUnconfirmed({ advance, notices })
    expect([typed, delivered]).toEqual([['1'], []])
  })

  it('[I1] is not typed again after a restart when the agent has been given it', async () => {
    const { asks, typed, notices, requests } = world({ answered: 'delivered' })
    asks.raise(CALL)
    await expect.poll(() => asks.isOver(CALL)).toBe(true)
    expect([requests, typed, notices]).toEqual([[], [], []])
  })

  it('[I1] is typed after a restart only where no other call could be the one on the screen', async () => {
    const sure = world({ answered: 'undelivered' })
    sure.show('bash')
    sure.asks.raise(CALL)
    sure.whenTyped(() => sure.show('idle'))
    await expect
      .poll(() => {
        sure.advance(1000)
        return sure.delivered
      })
      .toEqual(['terminal:toolu_1'])
    expect([sure.typed, sure.notices]).toEqual([['1'], []])

    const unsure = world({ answered: 'undelivered', isOnly: false })
    unsure.show('bash')
    unsure.asks.raise(CALL)
    await expect.poll(() => unsure.notices).toHaveLength(1)
    expect(unsure.notices[0]).toContain('another call looks the same')
    expect([unsure.typed, unsure.delivered]).toEqual([[], []])
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
    expect(notices[0]).toContain('was not typed: the terminal no longer shows it')
    expect([typed, delivered]).toEqual([[], []])
  })

  it('T22 is not typed where a file that it runs has changed since the answer was taken', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hp-screen-')))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    const script = join(cwd, 'x.sh')
    const command = `sh ${script}`
    writeFileSync(script, 'echo good\n')
    const { asks, typed, delivered, notices, requests, settle, whenRead } = world({ command })
    asks.raise({ ...CALL, input: { command } })
    await expect.poll(() => requests).toMatchObject([{ files: [{ path: script, use: 'runs' }] }])
    whenRead(() => writeFileSync(script, 'echo other\n'))
    settle(outcome('allowed'))
    await expect.poll(() => notices).toHaveLength(1)
    expect(notices[0]).toContain(`was not typed: ${script} has changed since it was shown`)
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
    expect(notices[0]).toContain('the answer in Holdpoint was yes, but at the terminal someone said no first')
    expect(typed).toEqual([])
  })

  it('says so when nothing confirms what was typed', async () => {
    const { asks, advance, typed, delivered, notices, requests, settle, show, whenTyped } = world()
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    // The dialog goes, but the transcript never says that the call was refused.
    whenTyped(() => show('idle'))
    settle(outcome('denied'))
    await saidToBeUnconfirmed({ advance, notices })
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
    expect(await recheck()).toContain('read again')
    asks.raise(CALL)
    await expect.poll(() => requests).toHaveLength(1)
    expect(await recheck()).toBeUndefined()
    show('idle')
    expect(await recheck()).toContain('no longer shows this')
  })
})
