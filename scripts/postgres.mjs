// The PostgreSQL that tests start: one that is on the machine, or Debian's own. Plain Node, as setup.mjs is.
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './setup.mjs'

const DEBIAN = '/usr/lib/postgresql'
const ADVICE =
  'Tests need PostgreSQL 14 or newer: install it ("apt-get install postgresql", as root), or put its programs on the PATH.'

/** The folder of its programs, if there is one. */
export function findPostgres() {
  const onPath = (process.env.PATH ?? '').split(delimiter)
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  const debian = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin'))
  const isWhole = (folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))
  return [...onPath, ...debian].find(isWhole)
}

export async function ensurePostgres() {
  if (findPostgres()) return
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
    console.error(ADVICE)
    process.exit(1)
  }
  // Without a server that Debian would start by itself: tests start their own.
  const quiet =
    'mkdir -p /etc/postgresql-common && { [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf; }'
  await run('Installing PostgreSQL with apt-get, for the tests (about 60 MB, once)', {
    command: 'sh',
    args: [
      '-c',
      `apt-get update && ${quiet} && apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold postgresql`,
    ],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    advice: ADVICE,
  })
}
