// Tests run the programs in dist/ as processes, and open the app in a browser: both are there before the first test.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findBrowser } from './browser.mjs'
import { findPostgres } from './postgres.mjs'
import { ensureBuilt } from './setup.mjs'

const SETUP = fileURLToPath(new URL('./setup.mjs', import.meta.url))

/** What the chosen files need, where `npm test` says so; everything where vitest was started by hand. */
const { HOLDPOINT_TEST_NEEDS } = process.env
const isNeeded = (part) => HOLDPOINT_TEST_NEEDS === undefined || HOLDPOINT_TEST_NEEDS.split(',').includes(part)

export async function setup() {
  if (isNeeded('programs')) await ensureBuilt(['programs'])
  // Workers are started after this and inherit it.
  if (isNeeded('postgres')) process.env.POSTGRES_PROGRAMS = findPostgres() ?? ''
  if (!isNeeded('web')) return
  // On its own, because `npm test` has built the app before: here, one that does not build is no reason to run nothing.
  spawnSync(process.execPath, ['-e', 'import(process.argv[1]).then((m) => m.ensureBuilt(["web"]))', SETUP], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.env.WHOLE_CHROME_PATH = findBrowser({ whole: true }) ?? ''
  process.env.CHROME_PATH = findBrowser() ?? ''
}
