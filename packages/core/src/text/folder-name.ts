/** The last part of a path, which is how people call a folder. */
export function folderName(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.at(-1) ?? path
}
