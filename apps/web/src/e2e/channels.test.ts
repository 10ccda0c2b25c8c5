import { createHmac } from 'node:crypto'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { focused } from '@holdpoint/testing/browser/focus'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { type ReceivedRequest, type ReceiverReply, startStandInReceiver } from '@holdpoint/testing/stand-in-receiver'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** More stops than the page has. */
const MOST_TABS = 120

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** The Settings page of an owner, by touch alone or by keys alone, and a receiver of webhooks. */
async function openSettings(width: 390 | 1440) {
  const received: ReceivedRequest[] = []
  let reply: () => ReceiverReply | Promise<ReceiverReply> = () => ({ status: 204 })
  const receiver = await startStandInReceiver((request) => {
    received.push(request)
    return reply()
  })
  const test = await startAppGateway({ notifyAllow: [receiver.place] })
  const tab = await openPage(browser, test, {
    width,
    path: '/settings',
    reducedMotion: true,
    expected: [/status of 422|net::ERR_FAILED/],
  })
  const { page } = tab
  const isPhone = width === 390

  async function tabTo(target: Locator) {
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`no Tab leads to ${target}`)
  }

  return {
    page,
    receiver,
    received,
    answer(next: typeof reply) {
      reply = next
    },
    read: () => test.api.ok<Notifications>('GET', '/api/notifications'),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    dialog: (name: string) => page.getByRole('dialog', { name }),
    /** `label`: what a finger meets, where the control itself is not drawn. */
    async use(target: Locator, key: 'Enter' | 'Space' = 'Enter', label = target) {
      if (isPhone) return label.tap()
      await tabTo(target)
      await page.keyboard.press(key)
    },
    async type(field: Locator, text: string) {
      if (isPhone) await field.tap()
      else await tabTo(field)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    /** Nothing is wrong with what is shown now, and the focus is somewhere. */
    async look(name: string) {
      await screenshots(page, `channels-${name}`)
      expect.soft(await (isPhone ? findingsInBothThemes(page) : findingsOfWidth(page)), name).toEqual([])
      if (!isPhone) expect.soft(await focused(page), name).not.toBe('nothing')
    },
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
      await receiver.close()
    },
  }
}

function isSigned({ headers, body }: ReceivedRequest, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return signature === `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
}

it.each([
  ['by touch', 390],
  ['by keys', 1440],
] as const)(
  'adds, tests, edits and removes a webhook and an escalation that tells it, %s at %i px',
  async (_how, width) => {
    await using settings = await openSettings(width)
    const { page, receiver, received, read, button, dialog, use, type, look } = settings

    await use(button('Add a channel'))
    const adding = dialog('Add a channel')
    await adding.waitFor()
    const isSaid = (text: string) => page.getByText(text).filter({ visible: true }).waitFor()
    await isSaid('Fill in the name and where to send to first.')
    await look('new')
    await type(adding.getByLabel('Name', { exact: true }), 'Team')
    await type(adding.getByLabel('Address', { exact: true }), 'http://10.0.0.1/private')
    await use(adding.getByRole('button', { name: 'Add the channel' }))
    await adding.getByText('Some fields are not valid: the address must start with https://').waitFor()
    await look('refused')
    await type(adding.getByLabel('Address', { exact: true }), `${receiver.url}/hook`)
    await use(adding.getByRole('button', { name: 'Add the channel' }))
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? ''
    await adding.waitFor({ state: 'detached' })
    await look('secret')
    await use(button('I have copied it'))
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' })
    await look('added')

    await use(button('Test notification to Team'))
    await page.getByText('The other side took it.').waitFor()
    expect(received).toMatchObject([{ path: '/hook', body: expect.stringContaining('"notice.test"') }])
    expect(received.map((request) => isSigned(request, secret))).toEqual([true])
    await look('tested')

    await use(button('Edit Team'))
    const editing = dialog('Edit channel')
    await type(editing.getByLabel('Name', { exact: true }), 'Ops')
    await use(editing.getByRole('checkbox', { name: 'Finished' }), 'Space')
    await look('edit')
    await use(editing.getByRole('button', { name: 'Save' }))
    await button('Edit Ops').waitFor()
    await look('edited')
    const [channel] = (await read()).channels ?? []
    expect(channel).toMatchObject({ name: 'Ops', target: { type: 'webhook', url: `${receiver.url}/hook` } })
    // The secret is the one that it was.
    let refuse = () => {}
    const refused = new Promise<ReceiverReply>((resolve) => {
      refuse = () => resolve({ status: 403 })
    })
    settings.answer(() => refused)
    await use(button('Test notification to Ops'))
    await page.getByText('Waiting for the other side to take it').waitFor()
    refuse()
    await page.getByText('not sent:', { exact: true }).waitFor()
    expect(received.map((request) => isSigned(request, secret))).toEqual([true, true])
    await look('test-failed')

    await use(button('Add an escalation'))
    const escalating = dialog('Add an escalation')
    await isSaid('Choose who is told.')
    await type(escalating.getByLabel('After so many minutes'), '0')
    await escalating.getByText('Between 1 and 10,080 minutes.').waitFor()
    await use(escalating.getByRole('checkbox', { name: 'Ops' }), 'Space')
    await look('escalation-refused')
    await type(escalating.getByLabel('After so many minutes'), '7')
    const add = escalating.getByRole('button', { name: 'Add the escalation' })
    await page.route('**/api/notifications/escalations', (route) => route.abort(), { times: 1 })
    await use(add)
    await escalating.getByRole('alert').waitFor()
    await look('escalation-not-saved')
    await use(add)
    await page.getByText('After 7 minutes: Ops').waitFor()
    await escalating.waitFor({ state: 'detached' })
    await look('escalation')
    await use(button('Edit escalation 1'))
    const changing = dialog('Edit escalation')
    await type(changing.getByLabel('After so many minutes'), '9')
    const inQuietHours = changing.getByRole('switch', { name: 'Also in quiet hours' })
    await use(inQuietHours, 'Space', changing.getByText('Also in quiet hours'))
    await use(changing.getByRole('button', { name: 'Save' }))
    await page.getByText('After 9 minutes: Ops').waitFor()
    await changing.waitFor({ state: 'detached' })
    expect((await read()).escalations).toEqual([{ afterMinutes: 9, to: [channel?.id], inQuietHours: true }])
    await look('escalation-edited')

    await use(button('Remove Ops'))
    const removing = dialog('Remove this channel?')
    await removing.waitFor()
    await look('remove')
    await use(removing.getByRole('button', { name: 'Remove', exact: true }))
    await button('Edit Ops').waitFor({ state: 'detached' })
    await look('removed')
    expect((await read()).channels).toEqual([])
    await use(button('Remove escalation 1'))
    await page.getByText(/^After 9 minutes/).waitFor({ state: 'detached' })
    expect((await read()).escalations).toEqual([])
    await look('nothing-left')
  },
)
