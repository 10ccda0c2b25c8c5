import { until } from '@holdpoint/testing/until'
import type { Page, WebSocketRoute } from 'playwright-core'

export interface Picture {
  readonly data: string
  readonly cols: number
  readonly rows: number
}

/** The other end of a page's terminal: a gateway that a test speaks for. */
export async function fakeTerminal(page: Page, picture: Picture) {
  const received: Readonly<Record<string, unknown>>[] = []
  let shown = picture
  let connections = 0
  let socket: WebSocketRoute | undefined
  await page.routeWebSocket(/\/api\/terminals\//, (route) => {
    connections += 1
    socket = route
    route.onMessage((message) => {
      const frame = JSON.parse(String(message)) as Readonly<Record<string, unknown>>
      received.push(frame)
      if (frame.type === 'view') route.send(JSON.stringify({ type: 'screen', ...shown }))
    })
  })
  return {
    /** Everything that the page has sent, in order. */
    received,
    connections: () => connections,
    send: (frame: object) => socket?.send(JSON.stringify(frame)),
    output: (data: string) => socket?.send(JSON.stringify({ type: 'output', data })),
    /** What the next view gets. */
    draw(next: Partial<Picture>) {
      shown = { ...shown, ...next }
    },
    cut: () => socket?.close(),
    typed: () =>
      received
        .filter((frame) => frame.type === 'input')
        .map((frame) => String(frame.data))
        .join(''),
    waitForTyped(text: string) {
      return until(
        () => this.typed() === text,
        `${JSON.stringify(text)} to be typed, not ${JSON.stringify(this.typed())}`,
      )
    },
  }
}

/** What Claude Code's own dialog looks like, more or less. */
export const DIALOG: Picture = {
  cols: 80,
  rows: 24,
  data: [
    '\x1b[2m✻ Welcome to the agent\x1b[0m',
    '',
    '\x1b[38;2;215;119;87m●\x1b[0m I will run the tests first.',
    '',
    '\x1b[38;2;177;185;249m╭──────────────────────────────────────────────────────────────────────────────╮',
    '│\x1b[39m \x1b[1;38;2;177;185;249mBash command\x1b[0m                                                                 \x1b[38;2;177;185;249m│',
    '│\x1b[39m                                                                              \x1b[38;2;177;185;249m│',
    '│\x1b[39m   npm test -- queue                                                          \x1b[38;2;177;185;249m│',
    '│\x1b[39m   \x1b[2mRun the tests of the queue\x1b[0m                                                 \x1b[38;2;177;185;249m│',
    '│\x1b[39m                                                                              \x1b[38;2;177;185;249m│',
    '│\x1b[39m Do you want to proceed?                                                      \x1b[38;2;177;185;249m│',
    '│\x1b[39m \x1b[38;2;177;185;249m❯ 1. Yes\x1b[39m                                                                     \x1b[38;2;177;185;249m│',
    '│\x1b[39m   2. Yes, and don’t ask again for npm test commands                          \x1b[38;2;177;185;249m│',
    '│\x1b[39m   3. No, and tell the agent what to do differently \x1b[2m(esc)\x1b[0m                     \x1b[38;2;177;185;249m│',
    '╰──────────────────────────────────────────────────────────────────────────────╯\x1b[39m',
    '\x1b[31mred\x1b[32m green\x1b[33m yellow\x1b[34m blue\x1b[35m magenta\x1b[36m cyan\x1b[90m grey\x1b[0m \x1b[7minverse\x1b[0m \x1b[41;97mwhite on red\x1b[0m 你好 🎉',
  ].join('\r\n'),
}
