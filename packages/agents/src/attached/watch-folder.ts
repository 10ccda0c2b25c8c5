import { type FSWatcher, watch } from 'node:fs'

export interface FolderWatches {
  /** Calls back when something in the folder changes. Returns how to stop; undefined when there is no such folder yet. */
  add(path: string, onChange: () => void): (() => void) | undefined
  close(): void
}

/** One watch for each folder, however many look at it. Only hastens: whoever relies on it looks by themselves as well. */
export function createFolderWatches(): FolderWatches {
  const watches = new Map<string, { watcher: FSWatcher; listeners: Set<() => void> }>()

  function open(path: string) {
    const listeners = new Set<() => void>()
    try {
      const watcher = watch(path, { persistent: false }, () => {
        for (const listener of listeners) listener()
      })
      const entry = { watcher, listeners }
      watcher.on('error', () => drop(path, entry))
      watches.set(path, entry)
      return entry
    } catch {
      return undefined
    }
  }

  function drop(path: string, entry: { watcher: FSWatcher }) {
    entry.watcher.close()
    if (watches.get(path)?.watcher === entry.watcher) watches.delete(path)
  }

  return {
    add(path, onChange) {
      const entry = watches.get(path) ?? open(path)
      if (!entry) return undefined
      entry.listeners.add(onChange)
      return () => {
        entry.listeners.delete(onChange)
        if (entry.listeners.size === 0) drop(path, entry)
      }
    },
    close() {
      for (const [path, entry] of [...watches]) drop(path, entry)
    },
  }
}
