import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

export interface FolderWatches {
  /** Calls back when this file changes, or comes or goes. Returns how to stop; undefined when there is no such folder yet. */
  add(path: string, onChange: () => void): (() => void) | undefined
  close(): void
}

/** One watch for each folder, however many look at its files. Only a hint that saves time: its users poll as well. */
export function createFolderWatches(): FolderWatches {
  const watches = new Map<string, FolderWatch>()

  function open(folder: string): FolderWatch | undefined {
    const files = new Map<string, Set<() => void>>()
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // The files of others are not to wake anybody: a thousand sessions share a folder.
        const told = name === null ? [...files.values()] : [files.get(name) ?? []]
        for (const listeners of told) for (const listener of [...listeners]) listener()
      })
      const entry = { watcher, files }
      watcher.on('error', () => drop(folder, entry))
      watches.set(folder, entry)
      return entry
    } catch {
      return undefined
    }
  }

  function drop(folder: string, entry: FolderWatch) {
    entry.watcher.close()
    if (watches.get(folder) === entry) watches.delete(folder)
  }

  return {
    add(path, onChange) {
      const [folder, name] = [dirname(path), basename(path)]
      const entry = watches.get(folder) ?? open(folder)
      if (!entry) return undefined
      const listeners = entry.files.get(name) ?? new Set()
      entry.files.set(name, listeners)
      listeners.add(onChange)
      return () => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        entry.files.delete(name)
        if (entry.files.size === 0) drop(folder, entry)
      }
    },
    close() {
      for (const [folder, entry] of [...watches]) drop(folder, entry)
    },
  }
}

interface FolderWatch {
  readonly watcher: FSWatcher
  /** By name: who wants to know of it. */
  readonly files: Map<string, Set<() => void>>
}
