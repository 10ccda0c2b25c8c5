import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { ancestorsOf } from './ancestors.ts'

it('names the processes above one, the nearest first', async () => {
  const child = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const grandchild = Number(String(line))
    expect((await ancestorsOf(grandchild)).slice(0, 3)).toEqual([child.pid, process.pid, process.ppid])
    process.kill(grandchild)
  } finally {
    child.kill()
  }
})

it('knows none above a process that is gone', async () => {
  const child = spawn('true')
  await once(child, 'exit')
  expect(await ancestorsOf(child.pid ?? 0)).toEqual([])
})
