/**
 * Stands in for `markdown-to-jsx/entities`, whose browser version decodes by `innerHTML`, which the content security
 * policy refuses. A name that is not in here stays as the agent wrote it.
 */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00A0'],
])

/** `name` is what stands between `&` and `;`. */
export function decodeEntity(name: string): string | undefined {
  const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name)
  if (!number) return NAMED.get(name)
  const codePoint = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined
}

/** For the library, which looks a name up before it decodes. */
export const NAMED_CODES_TO_UNICODE = Object.fromEntries(NAMED)
