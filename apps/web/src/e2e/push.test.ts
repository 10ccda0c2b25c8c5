import { createServer } from 'node:http'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { PushMessage } from '@holdpoint/schema/notification'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { findings } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { launchWholeChromium } from '@holdpoint/testing/browser/whole-chromium'
import { startPushService } from '@holdpoint/testing/push-service'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givePushService, lookAway, press, pushDelivery, shownNotifications, takenAway } from './push-browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchWholeChromium()
})
afterAll(() => browser.close())

/** What the browser says of a gateway that is down or has ended the login. */
const GONE = [/Failed to load resource|WebSocket connection/]

const PIXEL =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36'

/** A gateway, a push service, and a phone that has switched notifications on and was put away. */
async function startPhone(options: { readonly path?: string } = {}) {
  const service = await startPushService()
  const test = await startAppGateway({ notifyAllow: [service.place] })
  const origin = test.gateway.url
  const opened = await openPage(browser, test, { width: 390, path: '/settings', expected: GONE })
  const { page, context } = opened
  await givePushService(context, service.subscribe(), origin)
  await context.addInitScript((agent) => {
    Object.defineProperty(navigator, 'userAgent', { get: () => agent })
  }, PIXEL)
  await page.reload()
  await page.getByText('Notifications', { exact: true }).click()
  await page.getByRole('button', { name: 'Test notification' }).first().waitFor()
  const deliver = await pushDelivery(page, origin)
  await page.goto(origin + (options.path ?? '/'))
  const worker = await until(() => context.serviceWorkers()[0], 'the service worker')
  await lookAway(page)
  const read = () => test.api.ok<Notifications>('GET', '/api/notifications')
  return {
    test,
    service,
    page,
    context,
    worker,
    origin,
    read,
    /** Waits for a push, and shows it on the phone. */
    async receive(fits: Parameters<typeof service.message>[0]) {
      const message = await service.message(fits)
      await deliver(message)
      return message
    },
    deliver,
    /** Waits until so many are on the phone. Shows the push again where the browser has lost it: one that has just been started may. */
    async seen(message: PushMessage, count = 1) {
      const isThere = async () => (await shownNotifications(page)).length === count
      await until(async () => {
        if (await isThere()) return true
        await deliver(message)
        return isThere()
      }, 'the notification')
      return shownNotifications(page)
    },
    press: (message: PushMessage, action = '') =>
      until(async () => (await press(worker, message.tag, action)) || deliver(message), 'the press'),
    shown: () => shownNotifications(page),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

it('rings for an ask, reports that, and leads to its card, which a person then denies with a button', async () => {
  await using phone = await startPhone()
  const { test, page } = phone
  const { agent } = await test.session({ title: 'Retry queue' })
  const { ask } = await test.openAsk(agent)
  const message = await phone.receive(({ tag }) => tag === ask.id)
  expect(message.path).toBe(`/asks/${ask.id}`)
  const [shown] = await phone.seen(message)
  expect(shown).toMatchObject({ tag: ask.id, actions: ['deny', 'open'], silent: false })

  // The card says how far it came.
  await page.getByTitle(/^shown on .+, seen on /).waitFor()
  expect(await takenAway(page)).toBe('')
  await phone.press(message)
  await page.waitForURL(`${phone.origin}/asks/${ask.id}`)
  await page.locator(`[data-ask-id="${ask.id}"]`).waitFor()
  expect(await phone.shown()).toEqual([])
  expect(await findings(page)).toEqual([])

  await phone.seen(message)
  await phone.press(message, 'deny')
  const outcome = await until(async () => (await test.store.ask(ask.id))?.outcome, 'the answer')
  expect(outcome).toMatchObject({ kind: 'denied', via: 'push' })
  await page.getByRole('heading', { name: 'Settled' }).waitFor()
})

it('keeps the worker where notifications are switched on before the page has connected', async () => {
  await using service = await startPushService()
  await using test = await startAppGateway({ notifyAllow: [service.place] })
  await using opened = await openPage(browser, test, { path: '/settings' })
  const { page, context } = opened
  await givePushService(context, service.subscribe(), test.gateway.url)
  let connect = () => {}
  const connected = new Promise<void>((resolve) => {
    connect = resolve
  })
  await page.routeWebSocket(/\/api\/stream/, async (socket) => {
    await connected
    socket.connectToServer()
  })
  // The page connects, and looks whether it has a worker that nobody asked for, in the middle of the subscription.
  await page.exposeFunction('holdpointTestSubscribing', async () => {
    connect()
    await page.getByText('live', { exact: true }).filter({ visible: true }).waitFor()
  })
  await page.addInitScript(() => {
    const { subscribe } = PushManager.prototype
    PushManager.prototype.subscribe = async function (this: PushManager, options) {
      const { holdpointTestSubscribing } = window as unknown as { holdpointTestSubscribing(): Promise<void> }
      await holdpointTestSubscribing()
      return subscribe.call(this, options)
    }
  })
  let told = 0
  page.on('response', (response) => {
    if (response.request().method() === 'POST' && response.url().endsWith('/api/notifications/device')) told++
  })
  await page.reload()
  await page.getByText('Notifications', { exact: true }).click()
  await until(() => told === 2, 'the subscription to be told again, as each page does when it has connected')
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(1)
})

it('takes the notification of an ask away that was settled elsewhere', async () => {
  await using phone = await startPhone()
  const { test } = phone
  const { agent } = await test.session()
  const [one, other] = [(await test.openAsk(agent)).ask, (await test.openAsk(agent)).ask]
  const message = await phone.receive(({ tag }) => tag === one.id)
  await phone.seen(message)
  await phone.seen({ ...message, tag: other.id, title: 'Another' }, 2)
  await test.api.answer(one, { kind: 'deny' })
  await until(async () => (await takenAway(phone.page)).includes(one.id), 'the first one to go')
  expect(await takenAway(phone.page)).not.toContain(other.id)
})

it('shows each step of a test', async () => {
  await using phone = await startPhone({ path: '/settings' })
  const { page, service } = phone
  const before = service.pushed.length
  await page.getByRole('button', { name: 'Test notification' }).first().click()
  await service.until(before + 1)
  const { message } = service.pushed.at(-1) ?? {}
  if (!message) throw new Error('nothing was pushed')
  await phone.deliver(message)
  const steps = page.getByRole('listitem').filter({ hasText: /^(sent|shown):/ })
  await until(async () => (await steps.count()) >= 2, 'the steps')
  await page.getByText('Quiet hours', { exact: true }).click()
  await until(async () => (await phone.read()).devices?.[0]?.settings.quietHours !== undefined, 'the quiet hours')
  await page.getByText('Only some', { exact: true }).click()
  await page.getByText('If notifications come late on this phone').click()
  expect(await findings(page)).toEqual([])
})

it('keeps what is changed while an earlier change is still being saved', async () => {
  await using phone = await startPhone({ path: '/settings' })
  const { page } = phone
  await page.getByText('Quiet hours', { exact: true }).waitFor()
  const held: (() => void)[] = []
  await page.route('**/api/notifications/device', async (route) => {
    // On a slow machine the page may still tell of its subscription, as it does at each start.
    const isChange = route.request().postDataJSON()?.settings?.quietHours !== undefined
    if (isChange) await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  const letGo = (count: number) => until(() => held[count - 1], 'the next save').then((go) => go?.())
  await page.getByText('Quiet hours', { exact: true }).click()
  await page.getByLabel('From').fill('06:00')
  await page.getByLabel('From').blur()
  await letGo(1)
  await until(() => held[1], 'the second save')
  // What is read after the first save would be here by now.
  await page.evaluate(() => fetch('/api/health'))
  await page.getByLabel('Until').fill('08:00')
  await page.getByLabel('Until').blur()
  await letGo(2)
  await letGo(3)
  const hours = async () => (await phone.read()).devices?.[0]?.settings.quietHours
  await until(async () => (await hours())?.to === '08:00', 'the last save')
  expect(await hours()).toMatchObject({ from: '06:00', to: '08:00' })
})

it('opens the card from a cold start, and through a login that has ended', async () => {
  await using phone = await startPhone()
  const { test, page, origin } = phone
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const { path } = await phone.receive(({ tag }) => tag === ask.id)
  await page.goto('about:blank')
  await page.goto(origin + path)
  const card = page.locator(`[data-ask-id="${ask.id}"]`)
  await card.waitFor()

  const { own, devices = [] } = await phone.read()
  expect(own).toBeUndefined()
  const deviceId = devices[0]?.deviceId ?? ''
  await test.api.ok('DELETE', `/api/devices/${deviceId}`)
  await page.getByText('This browser is not logged in.').waitFor()
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  await page.goto(`${origin}/login/aNameForIt1#login=${code}`)
  await card.waitFor()
  expect(page.url()).toBe(`${origin}${path}`)
  // It is another device to the gateway now, and still wants them.
  await until(async () => (await phone.read()).devices?.some((each) => each.deviceId !== deviceId), 'the subscription')
})

it('says how an ask ended that was settled before its notification was tapped, and that there is none', async () => {
  await using phone = await startPhone()
  const { test, page, origin } = phone
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  await test.api.answer(ask, { kind: 'deny', message: 'Not today.' })
  await page.goto(`${origin}/asks/${ask.id}`)
  await page.getByRole('heading', { name: 'Settled' }).waitFor()
  await page.getByText('Not today.').waitFor()
  await page.goto(`${origin}/asks/ask_nothing`)
  await page.getByRole('heading', { name: 'No such ask' }).waitFor()
})

it('T64 has a worker over plain HTTP only while push is on, and nothing after a logout', async () => {
  await using phone = await startPhone({ path: '/settings' })
  const { page, context } = phone
  const hasWorker = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/')) !== undefined)
  expect(await hasWorker()).toBe(true)
  const toggle = page.getByText('Notifications', { exact: true }).first()
  await toggle.click()
  await until(async () => !(await hasWorker()), 'the worker to go')
  expect((await phone.read()).devices).toEqual([])

  await toggle.click()
  await until(async () => (await phone.read()).devices?.length === 1, 'the subscription')
  await page.getByRole('button', { name: 'Log out…' }).click()
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await page.getByText('This browser is not logged in.').waitFor()
  await until(async () => !(await hasWorker()), 'the worker to go')
  expect((await phone.read()).devices).toEqual([])

  await using other = await openPage(browser, phone.test, {})
  await other.page.getByRole('heading', { name: 'Welcome' }).or(other.page.getByText('Nothing needs')).first().waitFor()
  expect(await other.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  expect(context.pages()).toHaveLength(1)
})

it('says that Holdpoint cannot be reached where there is no gateway, and goes on when one is there', async () => {
  await using phone = await startPhone()
  const { page, test, origin } = phone
  await page.goto(origin)
  await test.gateway.close()
  const place = `${origin}/settings#kept`
  const expectOffline = () => page.getByRole('heading', { name: 'Holdpoint cannot be reached' }).waitFor()
  const expectThere = async () => {
    await page.getByText('It is there').waitFor()
    expect(page.url()).toBe(place)
  }
  await page.goto(place)
  await expectOffline()
  expect(await findings(page)).toEqual([])
  {
    // Not ready yet: the page itself does not go on.
    await using _ = await answerAt(origin, { health: 503 })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectThere()
  }
  await page.goto('about:blank')
  await page.goto(place)
  await expectOffline()
  await using _ = await answerAt(origin, { health: 200 })
  await expectThere()
})

/** Something else that answers at the address of a gateway that was stopped. */
async function answerAt(origin: string, { health }: { readonly health: number }): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/api/health' ? health : 200, {
      'content-type': 'text/html',
      connection: 'close',
    })
    response.end('<p>It is there</p>')
  })
  await new Promise<void>((resolve) => server.listen(Number(new URL(origin).port), '127.0.0.1', resolve))
  return { [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))) }
}
