import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const EndedAgents = z.array(z.string())

function pathIn(dataDir: string): string {
  return join(dataDir, 'ended-agents.json')
}

/**
 * Notes the keys of the agents that a person ends together with their host, for the next gateway: it must not say that they
 * failed. A key is of one life of one session, so an old note is about nobody else.
 */
export async function noteEndedAgents(dataDir: string, keys: readonly string[]): Promise<void> {
  const path = pathIn(dataDir)
  await writeFile(`${path}.new`, JSON.stringify(keys), { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
}

/** A note that is missing, or cannot be read, names nobody. */
export async function readEndedAgents(dataDir: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(EndedAgents.parse(JSON.parse(await readFile(pathIn(dataDir), 'utf8'))))
  } catch {
    return new Set()
  }
}
