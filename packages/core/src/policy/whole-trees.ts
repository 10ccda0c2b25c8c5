import { programOf } from './program-of.ts'
import { readingWords } from './reading-programs.ts'
import { type Word, writtenWord } from './shell-word.ts'

/** Always, or only with an option. */
const READS_TREE: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...'rg rgrep ag ack ugrep tar bsdtar zip 7z rsync cpio pax'.split(' ').map((name) => [name, undefined] as const),
  ...'grep egrep fgrep zgrep'
    .split(' ')
    .map((name) => [name, /^-[a-zA-Z]*[rRd]|^--(recursive|deref|directories)/] as const),
  ...'cp scp diff'.split(' ').map((name) => [name, /^-[a-zA-Z]*[rRa]|^--(recursive|archive)/] as const),
  ['git', /^(grep|archive)$/],
  ['find', /^-(exec|ok)/],
])
/** They read the files whose names they are given, and those may be any below the folder. */
const READS_NAMED = /^(xargs|parallel)$/
const CHANGES_TREE = /^(rm|mv|chmod|chown|chgrp|rsync)$/

/** Whether a command may read, or change, all that lies below a folder that it names. */
export function takesTree(words: readonly Word[], use: 'read' | 'write'): boolean {
  const name = programOf(words)
  if (use === 'write') return CHANGES_TREE.test(name)
  if (READS_NAMED.test(name) || (name === 'diff' && mayDiffFolders(words))) return true
  const option = READS_TREE.get(name)
  return option ? words.some((word) => 'text' in word && option.test(word.text)) : READS_TREE.has(name)
}

/** Of two folders, `diff` prints what differs in the files in them, also without `-r`. Names with an ending are those of files. */
function mayDiffFolders([, ...args]: readonly Word[]): boolean {
  const texts = args.map(writtenWord).filter((text) => !text.startsWith('-'))
  return texts.some((text) => /(^|\/)\.{0,2}$/.test(text)) || !texts.some((text) => /[^/]\.(?!d$)\w+$/.test(text))
}

/** Whether such a command may search the folder that it runs in, because it names no other. */
export function mayTakeOwnFolder(words: readonly Word[]): boolean {
  const name = programOf(words)
  if (/^(cp|scp|tar|bsdtar|zip|7z|rsync|diff)$/.test(name)) return false
  if (name === 'git') return true
  const read = readingWords(words)
  return !read || 'notKnown' in read || read.files.size === 0
}
