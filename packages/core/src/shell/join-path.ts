/** A path as seen from a folder, without `.` and `..`. Both may be relative; a `..` at the front of one stays. */
export function joinPath(folder: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${folder}/${path}`
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!whole.startsWith('/')) parts.push('..')
  }
  const joined = parts.join('/')
  return whole.startsWith('/') ? `/${joined}` : joined || '.'
}
