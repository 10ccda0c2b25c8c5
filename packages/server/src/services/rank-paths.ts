/** The paths that a person may mean by what they have typed, the likeliest first; among equals as they came. */
export function rankPaths(paths: readonly string[], typed: string, most: number): string[] {
  const wanted = typed.replace(/^\.\//, '').toLowerCase()
  const byRank: string[][] = Array.from({ length: RANKS }, () => [])
  for (const path of paths) {
    const rank = rankOf(path.toLowerCase(), wanted)
    if (rank !== undefined && (byRank[rank]?.length ?? most) < most) byRank[rank]?.push(path)
  }
  return byRank.flat().slice(0, most)
}

const RANKS = 5

function rankOf(path: string, wanted: string): number | undefined {
  if (path.startsWith(wanted)) return 0
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  if (name.startsWith(wanted)) return 1
  if (name.includes(wanted)) return 2
  if (path.includes(wanted)) return 3
  return hasInOrder(path, wanted) ? 4 : undefined
}

function hasInOrder(path: string, wanted: string): boolean {
  let at = 0
  for (const character of wanted) {
    at = path.indexOf(character, at) + 1
    if (at === 0) return false
  }
  return true
}
