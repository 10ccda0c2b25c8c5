// `npm run screenshots`: the pictures of docs/images, taken of the built gateway with the real Claude Code at work in
// made-up projects. Installs and builds what is missing; leaves nothing behind but the pictures.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser, findBrowser } from './browser.mjs'
import { ensureBuilt, ensureInstalled } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const images = join(root, 'docs/images')
/** What is shown was asked so long ago, in every run. */
const AGE_MS = 4 * 60_000

await ensureInstalled()
await ensureBuilt()
await ensureBrowser()
const { chromium } = await import('playwright-core')
const { startScenes } = await import('./screenshots/scenes.mjs')

const code = newCodeFolder()
const temporary = mkdtempSync(join(tmpdir(), 'hp-pictures-'))
const closers = [
  () => rmSync(temporary, { recursive: true, force: true }),
  () => rmSync(code, { recursive: true, force: true }),
]
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void closeAll().finally(() => process.exit(1)))
try {
  mkdirSync(images, { recursive: true })
  const scenes = await startScenes({ root, code, temporary, onClose: (close) => closers.push(close) })
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
    ],
  })
  closers.push(() => browser.close())

  const desk = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1.5 }
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
  await take('inbox-light.png', { browser, scenes, view: desk, path: '/' })
  await take('inbox-dark.png', { browser, scenes, view: { ...desk, colorScheme: 'dark' }, path: '/' })
  await take('session.png', { browser, scenes, view: desk, path: scenes.addressOf('retry') })
  await take('phone-ask.png', { browser, scenes, view: phone, path: scenes.addressOf('checkout') })
  await take('phone-question.png', { browser, scenes, view: phone, path: scenes.addressOf('search') })
} finally {
  await closeAll()
}

async function closeAll() {
  for (let close = closers.pop(); close; close = closers.pop()) await close()
}

async function take(name, { browser, scenes, view, path }) {
  const context = await browser.newContext({ ...view, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' })
  try {
    await scenes.logIn(context)
    const page = await context.newPage()
    await page.clock.setFixedTime(scenes.readyAt + AGE_MS)
    await page.goto(scenes.url + path)
    // Everything there, armed, and every piece of code that comes later loaded.
    await page.locator('[data-ask-id] [data-armed="true"]').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => document.fonts.ready)
    const file = join(images, name)
    await page.screenshot({ path: file })
    console.log(`${relative(root, file)} (${Math.round(statSync(file).size / 1024)} KB)`)
  } finally {
    await context.close()
  }
}

/** Paths are in the pictures: the folder is called what people call theirs. */
function newCodeFolder() {
  for (let count = 1; ; count++) {
    const folder = join(tmpdir(), count === 1 ? 'code' : `code-${count}`)
    try {
      mkdirSync(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
  }
}
