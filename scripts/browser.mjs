// The browser that tests use: one that is on the machine, or Debian's own. Plain Node, as setup.mjs is.
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { run } from './setup.mjs'

// Chromium without its window is the same engine at half the work: the whole browser draws its own surface as pages too,
// once more for each profile that a test opens.
const SHELL = 'chromium-headless-shell'
const WHOLE = 'chromium'
const WHOLE_NAMES = [WHOLE, 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const ADVICE =
  'Tests need a Chromium: install one ("apt-get install chromium", as root), or set CHROME_PATH to the program of yours.'

/** The program's path, if there is one. `whole`: one that shows notifications, which the shell refuses. */
export function findBrowser({ whole = false } = {}) {
  const { CHROME_PATH, PATH = '' } = process.env
  // Somebody has chosen: another one instead would surprise.
  if (CHROME_PATH && !(whole && basename(CHROME_PATH) === SHELL))
    return existsSync(CHROME_PATH) ? CHROME_PATH : undefined
  const names = whole ? WHOLE_NAMES : [SHELL, ...WHOLE_NAMES]
  const onPath = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [...onPath, ...PLACES, ...playwrightPrograms()].find((path) => existsSync(path))
}

export async function ensureBrowser({ whole = false } = {}) {
  if (findBrowser({ whole })) return
  const isDebian = existsSync('/usr/bin/apt-get')
  if (process.env.CHROME_PATH || !isDebian || process.getuid?.() !== 0) {
    console.error(ADVICE)
    process.exit(1)
  }
  const install = 'apt-get install -y --no-install-recommends'
  await run('Installing Chromium with apt-get, for the tests (about 400 MB, once)', {
    command: 'sh',
    // Older releases have it only whole.
    args: ['-c', `apt-get update && ${whole ? `${install} ${WHOLE}` : `(${install} ${SHELL} || ${install} ${WHOLE})`}`],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    advice: ADVICE,
  })
}

/** What `playwright install chromium` leaves, whichever version of it. */
function playwrightPrograms() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), '.cache/ms-playwright'),
    join(homedir(), 'Library/Caches/ms-playwright'),
  ]
  return caches.flatMap((cache) => {
    if (!cache || !existsSync(cache)) return []
    const builds = readdirSync(cache).filter((name) => /^chromium-\d+$/.test(name))
    return builds.flatMap((build) => [
      join(cache, build, 'chrome-linux/chrome'),
      join(cache, build, 'chrome-linux64/chrome'),
      join(cache, build, 'chrome-mac/Chromium.app/Contents/MacOS/Chromium'),
    ])
  })
}
