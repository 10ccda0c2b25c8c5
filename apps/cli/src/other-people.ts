import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The range that Linux distributions give to people; below are services, above are containers. */
const PEOPLE = { first: 1000, last: 59_999 }

/** The ids of other people whose programs run on this machine; none where that cannot be seen. */
export async function otherPeople(own: number | undefined, proc = '/proc'): Promise<number[]> {
  const names = await readdir(proc).catch(() => [])
  const users = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => stat(join(proc, name)).catch(() => undefined)),
  )
  const people = users.flatMap((entry) => (entry ? [entry.uid] : []))
  return [...new Set(people)].filter((uid) => uid !== own && uid >= PEOPLE.first && uid <= PEOPLE.last).sort()
}
