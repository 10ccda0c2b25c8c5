import { WEB_FOLDER } from '@holdpoint/testing/browser/app-gateway'
import { press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const LS = { effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } }
const start = () => startJudgingGateway({ webFolder: WEB_FOLDER })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

describe('the page of rules', () => {
  it('shows what others change at once, and T33 tells the second of two who edit one rule', async () => {
    await using test = await start()
    await using mine = await openPage(browser, test, { path: '/rules', expected: [/status of 409/] })
    const { page } = mine
    await page.getByText('There are no rules.').waitFor()
    const { id } = await test.addRule(LS)
    await button(page, 'Edit Bash(ls *)').click()
    const dialog = page.getByRole('dialog', { name: 'Edit rule' })
    await dialog.getByLabel('Why').fill('mine')
    const theirs = { ...LS, effect: 'deny', why: 'theirs' }
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision: 0, rule: theirs })
    await dialog.getByText('has changed this rule in the meantime').waitFor()
    expect(await button(page, 'Save').getAttribute('aria-disabled')).toBe('true')
    await button(page, 'Keep my version').click()
    await button(page, 'Save').click()
    await until(async () => (await test.policyState()).rules[0]?.revision === 2, 'the second edit')
    expect((await test.policyState()).rules).toMatchObject([{ effect: 'allow', why: 'mine' }])
    await test.api.call('DELETE', `/api/policy/rules/${id}`)
    await page.getByText('There are no rules.').waitFor()
  })

  it('T33 keeps a rule of a session in its session, with its end, when the other version says more', async () => {
    await using test = await start()
    const end = Date.now() + 3_600_000
    const scope = { kind: 'session', sessionId: test.session.id }
    const { id } = await test.addRule({ ...LS, scope, until: end })
    await using mine = await openPage(browser, test, { path: '/rules' })
    const { page } = mine
    await button(page, 'Edit Bash(ls *)').click()
    const dialog = page.getByRole('dialog', { name: 'Edit rule' })
    await dialog.getByLabel('Why').fill('mine')
    const theirs = { ...LS, effect: 'deny', scope: { kind: 'project', folder: '/elsewhere' } }
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision: 0, rule: theirs })
    await button(page, 'Keep my version').click()
    await button(page, 'Save').click()
    await until(async () => (await test.policyState()).rules[0]?.revision === 2, 'the second edit')
    expect((await test.policyState()).rules).toMatchObject([{ effect: 'allow', scope, until: end, why: 'mine' }])
  })

  it('refuses a rule as it is typed, and adds it once it is right', async () => {
    await using test = await start()
    await using tab = await openPage(browser, test, { path: '/rules' })
    const { page } = tab
    await button(page, 'Add a rule').click()
    const dialog = page.getByRole('dialog', { name: 'Add a rule' })
    await dialog.getByLabel('Allow').check()
    await dialog.getByLabel('Rule', { exact: true }).fill('Bash(npm *)')
    await dialog.getByText('runs what package.json says').waitFor()
    await dialog.getByLabel('Rule', { exact: true }).fill('Bash(ls *)')
    await dialog.getByLabel('Must not match').fill('ls /')
    await dialog.getByLabel('Try it').fill('ls src && rm x')
    await dialog.getByText('allows it.').waitFor()
    await button(page, 'Add the rule').click()
    await button(page, 'Remove Bash(ls *)').waitFor()
    expect((await test.policyState()).rules).toMatchObject([{ ...LS, notMatch: ['ls /'] }])
  })

  it('adds the starter set when somebody wants it', async () => {
    await using test = await start()
    await using tab = await openPage(browser, test, { path: '/rules' })
    await tab.page.getByRole('button', { name: /^Add these \d+ rules$/ }).click()
    await tab.page.getByRole('heading', { name: /^Everywhere \d+ rules$/ }).waitFor()
    await until(async () => (await test.policyState()).starter.length === 0, 'all of them')
  })

  it('removes the starter set again, and leaves what was edited', async () => {
    await using test = await start()
    await using tab = await openPage(browser, test, {
      path: '/rules',
      reducedMotion: true,
      expected: [/status of 409/],
    })
    const { page } = tab
    await page.getByRole('button', { name: /^Add these \d+ rules$/ }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^The starter set was added: \d+ rules/ })
      .waitFor()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await screenshots(page, 'rules/starter-added')
    }
    const { rules } = await test.policyState()
    const edited = rules.at(-1)
    if (!edited) throw new Error('there are no rules')
    const { id, by: _, at: __, revision, ...rule } = edited
    await button(page, 'Remove the starter set').click()
    const dialog = page.getByRole('dialog', { name: 'Remove the starter set?' })
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect.soft(await findingsInBothThemes(page), `${width} px`).toEqual([])
      await screenshots(page, 'rules/starter-removal')
    }
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision, rule: { ...rule, why: 'Mine.' } })
    await dialog.getByRole('button', { name: `Remove ${rules.length} rules` }).click()
    await dialog.getByText('has changed').waitFor()
    expect((await test.policyState()).rules).toHaveLength(rules.length)
    await button(page, 'Keep it').click()
    await button(page, 'Remove the starter set').click()
    await dialog.getByRole('button', { name: `Remove ${rules.length - 1} rules` }).click()
    await until(async () => (await test.policyState()).rules.length === 1, 'the end of the set')
    expect((await test.policyState()).rules).toMatchObject([{ id, why: 'Mine.' }])
    await dialog.waitFor({ state: 'detached' })
    await button(page, 'Remove the starter set').waitFor({ state: 'detached' })
  })
})

describe('rules from a card', () => {
  it('are made with an allow, and undone from what they decided', async () => {
    await using test = await start()
    test.bash('ls -l').catch(() => {})
    await using tab = await openPage(browser, test, { path: `/sessions/${test.session.id}` })
    const { page } = tab
    await page.getByText('asked because').waitFor()
    await button(page, 'Allow and remember…').click()
    const dialog = page.getByRole('dialog', { name: 'Allow and remember' })
    await dialog.getByRole('radio', { name: 'Bash(ls *)' }).check()
    await press(dialog, 'Allow and remember')
    await until(async () => (await test.policyState()).rules.length === 1, 'the rule')
    expect((await test.policyState()).rules).toMatchObject([
      { pattern: 'Bash(ls *)', scope: { kind: 'project', folder: test.project } },
    ])
    expect(await test.bash('ls -a')).toMatchObject({ kind: 'allowed', via: 'rule' })
    await page.getByText('Allowed by a rule').waitFor()
    // It never was anybody's to answer.
    expect(
      await page
        .getByRole('article', { name: /^Settled/ })
        .filter({ hasText: 'by a rule' })
        .count(),
    ).toBe(0)
    await button(page, 'Remove the rule…').click()
    await button(page, 'Remove').click()
    await until(async () => (await test.policyState()).rules.length === 0, 'the end of the rule')
  })
})
