import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { typingGuard } from '../hosted/typing-guard.ts'
import type { HelperCommand, HelperEvent } from './helper-protocol.ts'
import { startHostedProgram } from './hosted-program.ts'
import { createPtyHelper } from './pty-helper.ts'
import { createScreenKeeper } from './screen-keeper.ts'

const DEADLINE_MS = 20_000
const running = new Set<{ kill(): void }>()
afterEach(() => {
  for (const program of running) program.kill()
  running.clear()
})

/** A helper with a real program, and a gateway that takes everything unless told otherwise. */
function host(command: string, args: readonly string[] = [], options: { takes?: boolean } = {}) {
  const size = { cols: 60, rows: 12 }
  const env = { PATH: process.env.PATH, PS1: '$ ', LANG: 'C.UTF-8' }
  const program = startHostedProgram({ command, args, ...size, cwd: tmpdir(), env })
  running.add(program)
  const events: HelperEvent[] = []
  const far = createScreenKeeper(size)
  let output = ''
  let isOver = false
  const helper = createPtyHelper({
    program,
    screen: createScreenKeeper(size),
    guard: typingGuard({ command, args }),
    send(event) {
      if (event.type !== 'output') events.push(event)
      if (event.type === 'output') {
        output += event.data
        far.write(event.data, () => {})
        if (options.takes !== false)
          setImmediate(() => tell({ type: 'credit', stream: 'a', characters: event.data.length }))
      }
      if (event.type === 'screen') far.write(`\x1bc${event.data}`, () => {})
    },
    onEnd: () => {
      isOver = true
    },
    now: () => performance.now(),
    time: () => Date.now(),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  const tell = (command: HelperCommand) => helper.take(command)
  async function until<Value>(look: () => Value | undefined | false, what: string): Promise<Value> {
    const end = performance.now() + DEADLINE_MS
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (performance.now() > end) throw new Error(`gave up waiting for ${what}:\n${output.slice(-2000)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return {
    pid: program.pid,
    events,
    tell,
    type: (data: string) => tell({ type: 'input', data }),
    view: () => tell({ type: 'view', stream: 'a', ref: 'r', scrollback: 500 }),
    output: () => output,
    /** What somebody sees who has been sent all of it. */
    seen: () => far.lines().join('\n'),
    text: () => events.findLast((event) => event.type === 'text')?.lines.join('\n') ?? '',
    exit: () => until(() => events.find((event) => event.type === 'exit')?.code ?? undefined, 'the exit'),
    until,
    isOver: () => isOver,
  }
}

const typed = (one: ReturnType<typeof host>) => one.events.filter((event) => event.type === 'typed')

describe('the helper of a terminal', () => {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
  ])('tells how `%s` ended', async (script, code) => {
    const one = host('sh', ['-c', script])
    one.view()
    expect(await one.exit()).toBe(code)
    expect(one.output()).not.toContain('7347')
  })

  it('loses nothing of what a program wrote before it ended, in forty runs', async () => {
    const runs = Array.from({ length: 40 }, (_, run) => run)
    const lost: number[] = []
    const worker = async () => {
      for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
        const one = host('sh', ['-c', 'seq 3000; printf END'])
        one.view()
        await one.exit()
        if (!/2999\r\n3000\r\nEND/.test(one.output())) lost.push(run)
      }
    }
    await Promise.all(Array.from({ length: 4 }, worker))
    expect(lost).toEqual([])
  })

  it.each([
    ['what has scrolled away', 'seq 300', /^1\r\n2\r\n.*\r\n300/s],
    [
      'no more than is on it where that would be too much',
      `awk 'BEGIN { for (n = 0; n < 60000; n++) printf "\\033[38;5;%dm%d", n % 255, n % 10 }'`,
      /^.{1,20000}$/s,
    ],
  ])('tells at the end how the screen stands, with %s', async (_, script, wanted) => {
    const one = host('sh', ['-c', script])
    await one.exit()
    const [last, exit] = one.events.slice(-2)
    expect(exit).toMatchObject({ type: 'exit', code: 0 })
    expect(last).toMatchObject({ type: 'last-screen', data: expect.stringMatching(wanted), cols: 60, rows: 12 })
  })

  it('tells at the end the text alone of a screen whose colours are too much to keep', async () => {
    const colours = `awk 'BEGIN { for (n = 0; n < 50000; n++) printf "\\033[38;5;%dm%d", n % 255, n % 10 }'`
    const one = host('sh', ['-c', `read -r go; ${colours}`])
    one.tell({ type: 'resize', cols: 500, rows: 100 })
    one.type('go\r')
    await one.exit()
    const last = one.events.find(({ type }) => type === 'last-screen')
    expect(last).toMatchObject({
      data: expect.stringMatching(/^[0-9]{500}\r\n[0-9\r\n]{40000,}$/),
      cols: 500,
      rows: 100,
    })
  })

  it('keeps the screen while nobody looks, and shows it as it is', async () => {
    const one = host('sh', [
      '-c',
      'printf "one\\r\\n\\033[1;32mtwo\\033[0m \\303\\251\\344\\270\\255"; read -r x; echo "<$x>"; read -r y',
    ])
    one.tell({ type: 'watch', on: true })
    await one.until(() => one.text().includes('two é中'), 'the text')
    expect(one.output()).toBe('')
    one.view()
    await one.until(() => one.seen().includes('two é中'), 'the screen')
    one.type('typed\r')
    await one.until(() => one.text().includes('<typed>'), 'the echo')
    expect(one.seen()).toBe(one.text())
  })

  it('shows the other screen of an editor, and the first again after it', async () => {
    const script =
      'echo before; printf "\\033[?1049h\\033[3;5Hedited"; read -r x; printf "\\033[?1049l"; echo after; read -r y'
    const one = host('sh', ['-c', script])
    one.tell({ type: 'watch', on: true })
    await one.until(() => one.text().includes('edited'), 'the editor')
    one.view()
    await one.until(() => one.seen().includes('edited'), 'the editor elsewhere')
    expect(one.seen()).toBe(one.text())
    expect(one.seen()).not.toContain('before')
    one.type('\r')
    await one.until(() => one.seen().includes('after'), 'the shell')
    expect(one.seen()).toContain('before')
  })

  it('shows whether the cursor is hidden, and how the mouse is told', async () => {
    const one = host('sh', [
      '-c',
      'printf "\\033[?25l\\033[?1000;1006hX"; read -r x; printf "\\033[?25h\\033[?1006lY"; read -r y',
    ])
    one.tell({ type: 'watch', on: true })
    const drawn = () => one.events.findLast((event) => event.type === 'screen')?.data ?? ''
    await one.until(() => one.text().includes('X'), 'the program')
    one.view()
    await one.until(() => drawn() !== '', 'a screen')
    expect(drawn()).toMatch(/\[\?25l.*\[\?1006h/)
    one.type('\r')
    await one.until(() => one.text().includes('Y'), 'the change')
    one.view()
    await one.until(() => drawn().includes('Y'), 'the next screen')
    expect(drawn()).not.toMatch(/25l|1006/)
  })

  it('takes a new size, and passes it on to the program', async () => {
    const one = host('bash', ['--norc', '--noprofile'])
    one.tell({ type: 'watch', on: true })
    one.tell({ type: 'resize', cols: 33, rows: 9 })
    await one.until(() => one.events.some(({ type }) => type === 'resized'), 'the size')
    one.type('stty size\r')
    await one.until(() => one.text().includes('9 33'), 'the size in the program')
    one.tell({ type: 'resize', cols: 0, rows: 100_000 })
    const resized = await one.until(
      () => one.events.filter(({ type }) => type === 'resized')[1],
      'a size within bounds',
    )
    expect(resized).toEqual({ type: 'resized', cols: 2, rows: 300 })
  })

  it('[I1] types only what was meant for the screen that is there, and not when its time is over', async () => {
    const one = host('sh', ['-c', 'echo "Really?"; echo "1. Yes"; read -r x; clear; echo "got $x"; read -r y'])
    one.tell({ type: 'watch', on: true })
    await one.until(() => one.text().includes('1. Yes'), 'the question')
    one.tell({ type: 'type-if', ref: 'no', data: '1\r', lines: ['Really?', '2. Yes'] })
    one.tell({ type: 'type-if', ref: 'none', data: '1\r', lines: [] })
    const [past, soon] = [Date.now() - 1, Date.now() + DEADLINE_MS]
    one.tell({ type: 'type-if', ref: 'past', data: '1\r', lines: ['Really?', '1. Yes'], before: past })
    one.tell({ type: 'type-if', ref: 'yes', data: '1\r', lines: ['Really?', '1. Yes'], before: soon })
    await one.until(() => one.text().includes('got 1'), 'the answer')
    one.tell({ type: 'type-if', ref: 'late', data: '1\r', lines: ['Really?', '1. Yes'] })
    await one.until(() => typed(one).length === 5, 'the replies')
    expect(typed(one).map(({ ref, typed: isTyped }) => `${ref} ${isTyped}`)).toEqual([
      'no false',
      'none false',
      'past false',
      'yes true',
      'late false',
    ])
  })

  it('T68 types nothing into what may be a dialog, also where nobody has read that far', async () => {
    const ask =
      'echo; echo " ❯ 1. Yes"; echo "   2. No"; read -r x; clear; echo "got $x"; read -r y; echo "and $y"; read -r z'
    const one = host('sh', ['-c', ask])
    one.tell({ type: 'watch', on: true })
    await one.until(() => one.text().includes('2. No'), 'the question')
    one.tell({ type: 'type-if-free', ref: 'asked', data: 'n\r' })
    await one.until(() => typed(one).length === 1, 'the refusal')
    one.type('mine\r')
    await one.until(() => one.text().includes('got mine'), 'the answer')
    one.tell({ type: 'type-if-free', ref: 'free', data: 'n\r' })
    await one.until(() => one.text().includes('and n'), 'what was typed')
    expect(typed(one)).toEqual([
      { type: 'typed', ref: 'asked', typed: false, why: 'asked' },
      { type: 'typed', ref: 'free', typed: true },
    ])

    const flood = 'yes "some words" | head -c 300000; '
    const behind = host('sh', ['-c', flood + ask], { takes: false })
    behind.view()
    await behind.until(() => behind.output().length >= 128 * 1024, 'the window to be full')
    behind.tell({ type: 'type-if-free', ref: 'unread', data: 'n\r' })
    await behind.until(() => typed(behind).length === 1, 'the refusal')
    expect(typed(behind)).toEqual([{ type: 'typed', ref: 'unread', typed: false, why: 'asked' }])
  })

  it('T68 types nothing into a Claude Code that has drawn nothing yet, whoever has started it', async () => {
    const one = host('bash', ['--norc', '--noprofile'])
    one.tell({ type: 'watch', on: true })
    let count = 0
    const reply = async (data: string) => {
      const ref = `ref-${++count}`
      one.tell({ type: 'type-if-free', ref, data })
      return one.until(() => typed(one).find((event) => event.ref === ref), 'a reply')
    }
    expect(await reply('(exec -a /usr/bin/claude sleep 1000)\r')).toMatchObject({ typed: true })
    // Until the shell has given it the terminal, what is typed waits for it, or for the shell.
    while ((await reply(' ')).typed) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const data of ['\r', 'y', '1\r']) expect(await reply(data)).toMatchObject({ typed: false, why: 'not-at-rest' })
    expect(await reply('\x03')).toMatchObject({ typed: true })
    await one.until(() => /\^C/.test(one.text()), 'it to stop')
    while (!(await reply('echo $((6*7))\r')).typed) await new Promise((resolve) => setTimeout(resolve, 10))
    await one.until(() => one.text().includes('42'), 'the shell to go on')
  })

  it('answers what a program asks its terminal, once', async () => {
    const script = 'stty raw -echo; printf "\\033[6n"; dd bs=1 count=6 2>/dev/null | od -c; read -r x'
    const one = host('sh', ['-c', script])
    one.tell({ type: 'watch', on: true })
    await one.until(() => /033\s+\[\s+1\s+;\s+1\s+R/.test(one.text()), 'the reply')
  })

  it('leaves the keys of a signal to the program', async () => {
    const one = host('bash', ['--norc', '--noprofile'])
    one.tell({ type: 'watch', on: true })
    // The words of the line are on the screen before the shell has read it: only what it prints says that it runs.
    one.type('echo running $((6*7)); sleep 1000\r')
    await one.until(() => one.text().includes('running 42'), 'it to run')
    one.type('\x03')
    await one.until(() => one.text().includes('^C'), 'the key to arrive')
    one.type('echo alive $((6*7))\r')
    await one.until(() => one.text().includes('alive 42'), 'the shell to go on')
    one.type('exit 5\r')
    expect(await one.exit()).toBe(5)
  })

  it('F46 does not grow with a flood that nobody takes, and does not stop the program for it', async () => {
    const one = host('yes', ['a flood of words that does not end'], { takes: false })
    one.view()
    await one.until(() => one.output().length >= 128 * 1024, 'the window to be full')
    const before = one.output().length
    const rss = process.memoryUsage().rss
    // The program writes on, far more than anybody was sent: the screen is kept up to date all the same.
    await one.until(() => writtenBy(one.pid) > 10_000_000, 'the flood to go on')
    expect(one.output().length).toBe(before)
    expect(process.memoryUsage().rss - rss).toBeLessThan(60 * 1024 * 1024)
    // The gateway is back: it gets the screen, and what follows.
    one.tell({ type: 'credit', stream: 'a', characters: 128 * 1024 })
    await one.until(() => one.events.filter(({ type }) => type === 'screen').length === 2, 'a screen')
    one.type('\x03')
    expect(await one.exit()).toBe(130)
  })
})

/** Bytes that the program has written; it is the wrapper's one child. */
function writtenBy(wrapper: number): number {
  const [child] = readFileSync(`/proc/${wrapper}/task/${wrapper}/children`, 'utf8').split(' ')
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child}/io`, 'utf8'))?.[1])
}
