import type { PushMessage } from '@holdpoint/schema/notification'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFakeWorker } from './fixtures/fake-scope.ts'
import type { OpenWindow } from './worker-scope.ts'

const MESSAGE: PushMessage = {
  tag: 'ask_1',
  title: 'Bash needs your answer',
  body: 'Retry queue · app',
  path: '/asks/ask_1',
  waiting: 3,
  silent: false,
  to: 'dev_1',
  receipt: 'r1',
}
const WITH_BUTTONS = { ...MESSAGE, deny: 'd1' }
const json = (status: number, body: object) => () =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** For what pauses between tries. Not until there is no timer left: other files of this process may have some without an end. */
async function inTheEnd(done: Promise<unknown>) {
  let isOver = false
  const end = () => {
    isOver = true
  }
  void done.then(end, end)
  for (let steps = 0; !isOver && steps < 1000; steps++) await vi.advanceTimersByTimeAsync(1000)
  await done
}

describe('a push', () => {
  it('is shown, reported with its token, and counted on the badge', async () => {
    const worker = startFakeWorker()
    await worker.push(MESSAGE)
    expect(worker.shown.get('ask_1')).toMatchObject({
      title: MESSAGE.title,
      options: { body: MESSAGE.body, silent: false, renotify: true },
    })
    expect(worker.sent).toMatchObject([
      { path: '/api/notifications/receipts', body: { token: 'r1', to: 'dev_1' }, init: { credentials: 'omit' } },
    ])
    expect(worker.badges).toEqual([3])
  })

  it('takes the place of others, without a sound where it is silent', async () => {
    const worker = startFakeWorker()
    for (const tag of ['ask_1', 'ask_2', 'ask_3']) await worker.push({ ...MESSAGE, tag })
    await worker.push({
      ...MESSAGE,
      tag: 'ask_1',
      title: '2 need you',
      silent: true,
      replaces: ['ask_1', 'ask_2'],
      waiting: 0,
    })
    expect([...worker.shown.keys()].sort()).toEqual(['ask_1', 'ask_3'])
    expect(worker.shown.get('ask_1')).toMatchObject({ title: '2 need you', options: { silent: true, renotify: false } })
    expect(worker.badges.at(-1)).toBe(0)
  })

  it.each(
    [
      ['', 'not JSON', 'null', '[]'],
      [
        { ...MESSAGE, title: '' },
        { ...MESSAGE, to: 'ses_1' },
        { ...MESSAGE, silent: 'no' },
        { ...MESSAGE, waiting: -1 },
      ],
    ].flat(),
  )('that cannot be read is shown without any of its words: %j', async (message) => {
    const worker = startFakeWorker()
    await worker.push(message)
    expect([...worker.shown.values()].map(({ title, data }) => [title, data])).toEqual([['Holdpoint', undefined]])
    expect(worker.sent).toEqual([])
    await worker.click('holdpoint')
    expect(worker.opened).toEqual(['/'])
  })

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', '/a/../b', 'asks', '/x\n//evil.example'])(
    'T52 leads nowhere but to a path of the app: %s',
    async (path) => {
      const worker = startFakeWorker()
      await worker.push({ ...MESSAGE, path })
      expect(worker.shown.get('ask_1')).toBeUndefined()
    },
  )

  it('has buttons only where the platform has room for them and the message has their tokens', async () => {
    const actions = async (maxActions: number, message: object) => {
      const worker = startFakeWorker({ maxActions })
      await worker.push(message)
      return worker.shown.get('ask_1')?.options.actions?.map(({ action }) => action)
    }
    expect(await actions(2, WITH_BUTTONS)).toEqual(['deny', 'open'])
    expect(await actions(2, { ...WITH_BUTTONS, allow: 'a1' })).toEqual(['allow', 'deny'])
    expect(await actions(3, { ...WITH_BUTTONS, allow: 'a1' })).toEqual(['allow', 'deny', 'open'])
    expect(await actions(2, MESSAGE)).toEqual([])
    expect(await actions(0, WITH_BUTTONS)).toEqual([])
  })

  it('is reported again when the network is not there yet, and not for ever', async () => {
    const worker = startFakeWorker()
    worker.answerCalls(() => Promise.reject(new TypeError('offline')))
    await inTheEnd(worker.push(MESSAGE))
    expect(worker.sent).toHaveLength(3)
    expect(worker.shown.size).toBe(1)
    worker.answerCalls(json(404, { error: { code: 'not_found' } }))
    await inTheEnd(worker.push(MESSAGE))
    expect(worker.sent).toHaveLength(4)
  })
})

describe('a button', () => {
  async function press(how: () => Response | Promise<Response>, action = 'deny', message: object = WITH_BUTTONS) {
    const worker = startFakeWorker()
    await worker.push(message)
    worker.answerCalls(how)
    await inTheEnd(worker.click('ask_1', action))
    const { title, options } = worker.shown.get('ask_1') ?? {}
    return { worker, said: title, options, answers: worker.sent.slice(1) }
  }

  it('T58 sends its own token and nothing else, and says what became of it', async () => {
    const { said, options, answers, worker } = await press(json(200, { outcome: { kind: 'denied' } }))
    expect(answers).toMatchObject([{ path: '/api/notifications/answers', body: { token: 'd1', to: 'dev_1' } }])
    expect(said).toBe('Denied')
    expect(options).toMatchObject({ body: MESSAGE.title, silent: true })
    expect(options?.actions ?? []).toEqual([])
    // The buttons have been used.
    await worker.click('ask_1', 'deny')
    expect(worker.opened).toEqual(['/asks/ask_1'])
    expect(worker.sent).toHaveLength(2)
  })

  it('T58 allows only with a token for that', async () => {
    const allowed = await press(json(200, { outcome: { kind: 'allowed' } }), 'allow', { ...WITH_BUTTONS, allow: 'a1' })
    expect(allowed.answers).toMatchObject([{ body: { token: 'a1' } }])
    expect(allowed.said).toBe('Allowed')
    const without = await press(json(200, {}), 'allow')
    expect(without.answers).toEqual([])
    expect(without.worker.opened).toEqual(['/asks/ask_1'])
  })

  it.each([
    [{ kind: 'denied', by: { device: 'dev_2', name: 'Ann’s Mac' } }, 'Answered already on Ann’s Mac'],
    [{ kind: 'allowed' }, 'Answered already'],
    [{ kind: 'expired' }, 'Too late: it has expired'],
    [{ kind: 'withdrawn' }, 'Too late: it was withdrawn'],
    // The reply to a first try was lost.
    [{ kind: 'denied', by: { device: 'dev_1', name: 'This phone' } }, 'Denied'],
  ])('that comes too late says so: %j', async (outcome, words) => {
    const refusal = { error: { code: 'already_settled', message: 'Settled.', outcome } }
    expect((await press(json(409, refusal))).said).toBe(words)
  })

  it('says why an answer did not count, and that it is not known whether it did', async () => {
    const refused = json(409, { error: { code: 'digest_mismatch', message: 'The ask has changed.' } })
    expect((await press(refused)).said).toBe('Not answered. The ask has changed.')
    const { said, answers } = await press(() => Promise.reject(new TypeError('offline')))
    expect(said).toMatch(/^No word from Holdpoint/)
    expect(answers).toHaveLength(3)
  })
})

describe('a tap', () => {
  function fakeWindow(answers: boolean, state: Partial<OpenWindow> = {}) {
    const did: string[] = []
    const page: OpenWindow = {
      focused: false,
      visibilityState: 'visible',
      async focus() {
        did.push('focus')
      },
      async navigate(path) {
        did.push(`load ${path}`)
      },
      postMessage(message, [port]) {
        did.push(`ask ${JSON.stringify(message)}`)
        if (answers) port?.postMessage('done')
      },
      ...state,
    }
    return { page, did }
  }

  it('opens the card in a new window where there is none', async () => {
    const worker = startFakeWorker()
    await worker.push(MESSAGE)
    await worker.click('ask_1')
    expect(worker.opened).toEqual(['/asks/ask_1'])
    expect(worker.shown.size).toBe(0)
  })

  it('opens it in the window that is looked at, which goes there by itself', async () => {
    vi.useRealTimers()
    const [beside, front] = [fakeWindow(true), fakeWindow(true, { focused: true })]
    const worker = startFakeWorker({ windows: [beside.page, front.page] })
    await worker.push(MESSAGE)
    await worker.click('ask_1', 'open')
    expect(front.did).toEqual(['focus', 'ask {"type":"open","path":"/asks/ask_1"}'])
    expect(beside.did).toEqual([])
    expect(worker.opened).toEqual([])
  })

  it('loads the address in a page that does not answer, and opens another where that fails', async () => {
    const old = fakeWindow(false)
    const worker = startFakeWorker({ windows: [old.page] })
    await worker.push(MESSAGE)
    await inTheEnd(worker.click('ask_1'))
    expect(old.did.at(-1)).toBe('load /asks/ask_1')

    const foreign = fakeWindow(false, { navigate: () => Promise.reject(new TypeError('not controlled')) })
    const other = startFakeWorker({ windows: [foreign.page] })
    await other.push(MESSAGE)
    await inTheEnd(other.click('ask_1'))
    expect(other.opened).toEqual(['/asks/ask_1'])
  })
})

it('subscribes again where the browser has dropped the subscription', async () => {
  const worker = startFakeWorker()
  await worker.subscriptionChanged({ options: { applicationServerKey: 'key' } })
  await worker.subscriptionChanged(null)
  expect(worker.subscribed).toEqual([{ userVisibleOnly: true, applicationServerKey: 'key' }])
})

describe('pages', () => {
  it('T64 come from the network, and nothing else is touched', async () => {
    const worker = startFakeWorker()
    worker.answerCalls(() => new Response('the page'))
    expect(await (await worker.request('navigate'))?.text()).toBe('the page')
    expect(worker.request('cors')).toBeUndefined()
    expect(worker.request('no-cors')).toBeUndefined()
    expect(worker.request('same-origin')).toBeUndefined()
  })

  it('say that Holdpoint cannot be reached where there is no network', async () => {
    const worker = startFakeWorker()
    worker.answerCalls(() => Promise.reject(new TypeError('offline')))
    const response = await worker.request('navigate')
    expect(response?.status).toBe(503)
    expect(response?.headers.get('cache-control')).toBe('no-store')
    const text = (await response?.text()) ?? ''
    expect(text).toContain('Holdpoint cannot be reached')
    const nonce = /<script nonce="([^"]+)">/.exec(text)?.[1]
    expect(response?.headers.get('content-security-policy')).toContain(`; script-src 'nonce-${nonce}'; `)
  })
})
