import { type Dirent, type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** A path below the root, name by name. */
export type Below = readonly string[]

export interface TreeFile {
  readonly path: string
  readonly below: Below
}

export interface FolderTreeOptions {
  /** May be missing, and may be a link itself; nothing below it may be one. */
  readonly root: string
  readonly wantsFolder: (below: Below) => boolean
  readonly wantsFile: (below: Below) => boolean
  /** Files as a folder is first looked at. `isOld`: it was there when the watch began. Waited for before its changes. */
  readonly onFound: (files: readonly TreeFile[], isOld: boolean) => Promise<void>
  /** Something happened to a file: written, made, removed, or put in another's place. */
  readonly onChange: (file: TreeFile) => void
  readonly onFolderGone: (path: string) => void
  readonly onFault: (error: unknown) => void
}

export interface FolderTree {
  /** False while there is no such folder. */
  readonly hasRoot: boolean
  /** Looks after what no event told of: folders that came or went, and those that cannot be watched. */
  sweep(): Promise<void>
  close(): void
}

interface Folder {
  readonly path: string
  readonly below: Below
  readonly inode: number
  watcher: FSWatcher | undefined
  /** That it cannot be watched is told once. */
  hasFailed: boolean
  /** Of the last listing: it changes when a name comes or goes. */
  modifiedAt: number
  /** Names that changed while the folder was being listed. */
  early: Set<string> | undefined
}

/**
 * Watches a folder and the folders in it, each by itself: one watch tells of every file in a folder, so thousands of files
 * cost as many watches as they have folders. A folder is listed after its watch is in place, so that what was made in
 * between is not lost. Links are not followed.
 */
export async function watchFolderTree(options: FolderTreeOptions): Promise<FolderTree> {
  const { wantsFolder, wantsFile, onFound, onChange, onFolderGone, onFault } = options
  const folders = new Map<string, Folder>()
  const adding = new Map<string, Promise<void>>()
  let root = ''
  let isClosed = false

  async function addRoot(isOld: boolean) {
    root = await realpath(options.root).catch(() => '')
    if (root !== '') await add(root, [], isOld)
  }

  /** One at a time for each folder: an event and a sweep can find the same one. */
  function add(path: string, below: Below, isOld: boolean): Promise<void> {
    const now = adding.get(path) ?? addNow(path, below, isOld).finally(() => adding.delete(path))
    adding.set(path, now)
    return now
  }

  async function addNow(path: string, below: Below, isOld: boolean) {
    const stat = await lstat(path).catch(() => undefined)
    if (isClosed || !stat?.isDirectory() || folders.has(path)) return
    const inode = stat.ino
    const folder: Folder = { path, below, inode, watcher: undefined, hasFailed: false, modifiedAt: 0, early: new Set() }
    folders.set(path, folder)
    folder.watcher = watchFolder(folder)
    // A link can have taken its place since we looked.
    if ((await realpath(path).catch(() => '')) !== path) return remove(folder)
    await list(folder, isOld)
    const early = folder.early ?? []
    folder.early = undefined
    for (const name of early) changed(folder, name)
  }

  function watchFolder(folder: Folder): FSWatcher | undefined {
    try {
      const watcher = watch(folder.path, (_, name) => {
        if (name === null) void list(folder, false).catch(onFault)
        else changed(folder, name)
      })
      watcher.on('error', (error) => {
        watcher.close()
        folder.watcher = undefined
        failed(folder, error)
      })
      return watcher
    } catch (error) {
      // No watches left, or the folder is gone again: the sweep looks after it.
      failed(folder, error)
      return undefined
    }
  }

  function failed(folder: Folder, error: unknown) {
    if (!folder.hasFailed) onFault(error)
    folder.hasFailed = true
  }

  async function list(folder: Folder, isOld: boolean) {
    const stat = await lstat(folder.path).catch(() => undefined)
    const entries = await readdir(folder.path, { withFileTypes: true }).catch((): Dirent[] => [])
    if (isClosed || folders.get(folder.path) !== folder) return
    folder.modifiedAt = stat?.mtimeMs ?? 0
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ path: join(folder.path, name), below: [...folder.below, name] }))
    await onFound(
      files.filter(({ below }) => wantsFile(below)),
      isOld,
    )
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      const below = [...folder.below, name]
      if (wantsFolder(below)) await add(join(folder.path, name), below, isOld)
    }
  }

  function changed(folder: Folder, name: string) {
    if (isClosed) return
    if (folder.early) return void folder.early.add(name)
    const path = join(folder.path, name)
    const below = [...folder.below, name]
    if (wantsFile(below)) onChange({ path, below })
    else if (wantsFolder(below)) void look(path, below).catch(onFault)
  }

  async function look(path: string, below: Below) {
    const known = folders.get(path)
    const stat = await lstat(path).catch(() => undefined)
    if (known && (!stat?.isDirectory() || stat.ino !== known.inode)) remove(known)
    if (stat?.isDirectory() && !folders.has(path)) await add(path, below, false)
  }

  function remove(folder: Folder) {
    for (const other of [...folders.values()]) {
      if (other !== folder && !other.path.startsWith(folder.path + sep)) continue
      other.watcher?.close()
      folders.delete(other.path)
    }
    onFolderGone(folder.path)
  }

  async function sweep() {
    if (!folders.has(root)) await addRoot(false)
    for (const folder of [...folders.values()]) {
      if (isClosed) return
      if (folders.get(folder.path) !== folder || folder.early) continue
      const stat = await lstat(folder.path).catch(() => undefined)
      if (!stat?.isDirectory() || stat.ino !== folder.inode) await look(folder.path, folder.below)
      else if (!folder.watcher || stat.mtimeMs !== folder.modifiedAt) {
        folder.watcher ??= watchFolder(folder)
        await list(folder, false)
      }
    }
  }

  await addRoot(true)
  return {
    get hasRoot() {
      return folders.has(root)
    },
    sweep,
    close() {
      isClosed = true
      for (const { watcher } of folders.values()) watcher?.close()
      folders.clear()
    },
  }
}
