import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ESCAPE_SEQUENCES } from '../terminal/escape-sequences.ts'
import { screenOf, startTerminalGateway } from './terminal-page.ts'

/** One by one in the long run; else so many between two looks. */
const AT_ONCE = LONG ? 1 : 20

/** Everything of the page but the picture in the pane, and whatever a page can do to the world around it. */
function lookOutside(page: Page) {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    const pane = document.querySelector('pre[aria-label="Screen of the program"]')
    if (!pane) throw new Error('there is no pane')
    const page = document.documentElement.cloneNode(true) as HTMLElement
    page.querySelector('pre[aria-label="Screen of the program"]')?.replaceChildren()
    // Clocks go on.
    for (const clock of page.querySelectorAll('time')) clock.replaceChildren()
    const { x, y, width, height } = pane.getBoundingClientRect()
    const inside = [...pane.querySelectorAll<HTMLElement>('*')].filter((element) => element.localName !== 'textarea')
    return {
      html: page.outerHTML,
      title: document.title,
      address: location.href,
      visits: history.length,
      focus: document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.localName,
      place: [x, y, width, height],
      wide: document.documentElement.scrollWidth,
      // What is inside has no meaning but text, and stays inside.
      elements: [...new Set(inside.map((element) => element.localName))]
        .sort()
        .filter((name) => !/^(div|span)$/.test(name)),
      attributes: [...new Set(inside.flatMap((element) => element.getAttributeNames()))].filter(
        (name) => !/^(class|style|dir|aria-hidden)$/.test(name),
      ),
      fixed: inside.filter((element) => getComputedStyle(element).position === 'fixed').length,
      deeds: (window as unknown as { deeds: string[] }).deeds,
    }
  })
}

it(`[T28] changes nothing outside of the pane by ${ESCAPE_SEQUENCES.length} escape sequences, with and without the keyboard`, {
  timeout: TIMEOUT_MS * 2,
}, async () => {
  await using test = await startTerminalGateway()
  const browser = await launchChromium()
  try {
    await using tab = await test.openTerminal(browser)
    const { page, terminal } = tab
    await page.evaluate(() => {
      const deeds: string[] = []
      const note = (name: string) => () => {
        deeds.push(name)
      }
      Object.assign(window, { deeds, open: note('open'), alert: note('alert'), print: note('print') })
      Object.assign(document, { execCommand: note('execCommand') })
      Object.assign(navigator.clipboard ?? {}, {
        writeText: note('writeText'),
        readText: note('readText'),
        write: note('write'),
      })
      Object.assign(window, { Notification: note('Notification') })
      Object.assign(navigator, { vibrate: note('vibrate'), setAppBadge: note('setAppBadge') })
    })
    let seen = 0
    for (const isTyping of [false, true]) {
      if (isTyping) await page.getByRole('button', { name: 'Type here' }).click()
      const before = await lookOutside(page)
      expect(before).toMatchObject({ elements: [], attributes: [], fixed: 0, deeds: [] })
      const half = ESCAPE_SEQUENCES.filter((_, index) => (index % 2 === 1) === isTyping)
      for (let from = 0; from < half.length; from += AT_ONCE) {
        const some = half.slice(from, from + AT_ONCE)
        for (const { data } of some) terminal.output(data)
        const name = some.map((sequence) => sequence.name).join(', ')
        expect(await lookOutside(page), name).toEqual(before)
        seen += some.length
        const mark = `seen-${isTyping}-${seen}`
        terminal.output(`\x18\x1b\\\x1bc${mark}`)
        await screenOf(page).getByText(mark).waitFor()
        expect(await lookOutside(page), name).toEqual(before)
      }
    }
    expect(seen).toBe(ESCAPE_SEQUENCES.length)
    expect(terminal.received.map(({ type }) => type)).toEqual(['view'])
    report(`T28: ${seen} escape sequences`)

    // A card drawn by a program is a picture of one: nobody is told that there is a button.
    for (const { name, data } of ESCAPE_SEQUENCES) if (name.startsWith('fake')) terminal.output(`${data}\r\n`)
    await screenOf(page).getByText('Approved by Holdpoint').waitFor()
    expect(await page.getByRole('button', { name: /Allow/ }).count()).toBe(0)
    expect(await page.locator('[data-ask-id]').count()).toBe(0)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    await screenshots(page, 'terminal/terminal-hostile')
  } finally {
    await browser.close()
  }
})
