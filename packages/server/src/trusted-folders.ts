import type { Records } from '@holdpoint/core/store'

const COLLECTION = 'trusted-folders'

/** Folders whose own settings, hooks and MCP servers a person has agreed to load. */
export function createTrustedFolders(records: Records) {
  return {
    isTrusted: async (folder: string) => (await records.get(COLLECTION, folder)) !== undefined,
    trust: (folder: string, entry: { by: string; at: number }) => records.put(COLLECTION, folder, entry),
    distrust: (folder: string) => records.remove(COLLECTION, folder),
  }
}
export type TrustedFolders = ReturnType<typeof createTrustedFolders>
