import { constants } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import { NodeId } from '@holdpoint/schema/id'

/** This gateway among several on one log, if the folder was ever used with them. Throws a `StoreFault` if that cannot be told. */
export async function readNodeId(folder: string): Promise<NodeId | undefined> {
  const path = join(folder, 'node-id')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StoreFault('io', `${path} cannot be read (${error.code}).`, { cause: error })
  })
  if (text === undefined) return undefined
  const id = NodeId.safeParse(text.trim()).data
  if (id) return id
  throw new StoreFault('corrupt', `${path} does not hold the id of a machine. Restore it from a backup.`)
}

/**
 * The same, and makes one where there is none. For whoever holds the folder's lock. The id stays with the folder: sessions
 * name it, so it is on the disk before anybody else hears of it.
 */
export async function keepNodeId(folder: string, make: () => NodeId): Promise<NodeId> {
  const known = await readNodeId(folder)
  if (known) return known
  const id = make()
  const path = join(folder, 'node-id')
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${id}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  // The file's name is to be on the disk as well.
  const handle = await open(folder, constants.O_RDONLY)
  await handle.sync().finally(() => handle.close())
  return id
}
