// `npm start -- …`: installs and builds what is missing, then runs `holdpoint start …`.
import { ensureBuilt, ensureInstalled } from './setup.mjs'

await ensureInstalled()
await ensureBuilt()

// npm runs us through a shell and passes signals on to that shell alone, which dies without a word. A gateway that
// nobody can stop any more would keep the data folder from the next one.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  watch.unref()
}

// In this process instead of a child of its own: signals arrive at the gateway itself, its exit code is ours, the pid
// that a supervisor knows is the one that holds the data folder, and no second Node sits in memory beside it.
const program = new URL('../dist/cli.js', import.meta.url)
process.argv.splice(1, 1, program.pathname, 'start')
await import(program.href)
