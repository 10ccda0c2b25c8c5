/** The byte order mark. */
export const MARK = '\uFEFF'
/** Characters in which Claude Code looks for the kind of line ends. */
const LOOKED_AT = 4096

/** A file as Claude Code reads it, and how it writes it back. */
export interface FileText {
  /** With LF at its line ends, and with the byte order mark, if there is one. */
  readonly text: string
  readonly encoding: 'utf8' | 'utf16le'
  /** The kind that is more frequent near the start: after an edit the whole file has it. */
  readonly lineEnd: '\n' | '\r\n'
}

export const NO_FILE: FileText = { text: '', encoding: 'utf8', lineEnd: '\n' }

/** Undefined for what is not text. */
export function decodeFile(bytes: Buffer): FileText | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8'
  const raw = bytes.toString(encoding)
  if (raw.includes('\0') || !Buffer.from(raw, encoding).equals(bytes)) return undefined
  const start = raw.slice(0, LOOKED_AT)
  const crlf = start.split('\r\n').length - 1
  const lf = start.split('\n').length - 1 - crlf
  return { text: raw.replaceAll('\r\n', '\n'), encoding, lineEnd: crlf > lf ? '\r\n' : '\n' }
}

/** An edited text, with the file's own line ends. CRLF that is in the text by now is no more than one of them. */
export function encodeEdit(text: string, { encoding, lineEnd }: FileText): Buffer {
  return Buffer.from(lineEnd === '\n' ? text : text.replaceAll('\r\n', '\n').replaceAll('\n', lineEnd), encoding)
}

/** All of a file anew: line ends as given; mark and encoding stay. */
export function encodeWrite(content: string, { text, encoding }: FileText): Buffer {
  const isMarked = text.startsWith(MARK) && content !== '' && !content.startsWith(MARK)
  return Buffer.from(isMarked ? MARK + content : content, encoding)
}
