import { unescape as sourceOf } from '@holdpoint/core/text/visible-text'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { expect, it } from 'vitest'

const CODE_POINTS = 0x110000
/** Few enough to be drawn in one go: a card with more marks than this draws them in steps. */
const AT_ONCE = 1024
/** What must never reach the screen as it is, by the tables of this Node. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** All of them in the long run; else the first plane, and a part of some others. */
const STARTS = Array.from({ length: CODE_POINTS / AT_ONCE }, (_, index) => index * AT_ONCE).filter(
  (start, index) => LONG || start < 0x10000 || index % 256 === 64,
)

function charactersFrom(start: number): string {
  let text = ''
  for (let codePoint = start; codePoint < start + AT_ONCE; codePoint++) {
    // A line is a line; half a surrogate pair never gets through the API.
    const isLine = codePoint === 0x0a || codePoint === 0x09
    if (!isLine && (codePoint < 0xd800 || codePoint > 0xdfff)) text += `${String.fromCodePoint(codePoint)}a`
  }
  return text
}

it('[T24] shows every code point of a command so that it can be read back from the card', {
  timeout: TIMEOUT_MS * 3,
}, async () => {
  await using test = await startAppGateway()
  const browser = await launchChromium()
  let count = 0
  try {
    const { agent, session } = await test.session()
    await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
    // What is read back is the text of the document: glyphs for all of Unicode take up to half a second for each card.
    if (!LONG) await tab.page.evaluate(() => document.documentElement.style.setProperty('display', 'none'))
    for (const start of STARTS) {
      const command = charactersFrom(start)
      if (command === '') continue
      const { ask } = await test.openAsk(agent, {
        requestId: `from-${start}`,
        tool: { name: 'Bash', input: { command } },
        context: { cwd: test.dataDir, command },
      })
      const card = cardOf(tab.page, ask.id)
      const shown = (await card.locator('[role="group"]').first().textContent()) ?? ''
      const name = `from U+${start.toString(16)}`
      expect(sourceOf(shown) === command, `${name} is read back`).toBe(true)
      expect(UNSEEN.exec(shown)?.[0]?.codePointAt(0)?.toString(16), name).toBeUndefined()
      count += command.length
      await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
    }
  } finally {
    await browser.close()
  }
  report(`T24: ${STARTS.length * AT_ONCE} code points in the browser`)
  expect(count).toBeGreaterThan(0)
})
