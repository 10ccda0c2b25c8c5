import { folderName } from '@holdpoint/core/text/folder-name'

/** Where it begins like a path, the gateway completes it; anything else is part of the name of a recent folder. */
export function isPath(typed: string): boolean {
  return typed.startsWith('/') || typed.startsWith('~')
}

/** The recent folders that have it in their paths, those first that have it in their names. All of them, where nothing is typed. */
export function recentLike(typed: string, recent: readonly string[]): readonly string[] {
  const wanted = typed.trim().toLowerCase()
  const isNamed = (path: string) => folderName(path).toLowerCase().includes(wanted)
  const found = recent.filter((path) => path.toLowerCase().includes(wanted))
  return [...found.filter(isNamed), ...found.filter((path) => !isNamed(path))]
}

/** What to call folders in short: by name, and by the folder above as well where two have the same one. */
export function shortNames(paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const isOnly = paths.every((other) => other === path || folderName(other) !== folderName(path))
    return isOnly ? folderName(path) : path.split('/').filter(Boolean).slice(-2).join('/')
  })
}
