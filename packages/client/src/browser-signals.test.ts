import { afterEach, expect, it, vi } from 'vitest'
import { onWake } from './browser-signals.ts'

afterEach(() => void vi.unstubAllGlobals())

it('calls back when the page is looked at again, restored or back online, until it is told not to', () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
  const tab = new EventTarget()
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', tab)
  let wakes = 0
  const forget = onWake(() => wakes++)
  const fire = () => {
    page.dispatchEvent(new Event('visibilitychange'))
    tab.dispatchEvent(new Event('online'))
    tab.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: page.visibilityState === 'visible' }))
  }
  fire()
  expect(wakes).toBe(1)
  page.visibilityState = 'visible'
  fire()
  expect(wakes).toBe(4)
  forget()
  fire()
  expect(wakes).toBe(4)
})
