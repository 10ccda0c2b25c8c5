import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pair } from './compare-trees.ts'
import type { KnownFile, WhyNotKept } from './known-file.ts'

/** What there is on the disk of one session. Its presence means that the other files are complete. */
export interface SessionNote {
  readonly version: 1
  readonly root: string
  readonly startedAt: number
  /** When the tree was looked at that everything is compared with: later than `startedAt` where the session was resumed. */
  readonly lookedAt: number
  /** Folders that were not looked into. */
  readonly unread: readonly string[]
  readonly remarks: readonly string[]
  readonly message?: { readonly at: number; readonly remarks: readonly string[] }
  /** Set at its end: from then on the folder itself is not looked at. */
  readonly endedAt?: number
}

export type Tree = ReadonlyMap<string, KnownFile>
export type TreeChanges = ReadonlyMap<string, KnownFile | undefined>

/** What a session that is over has changed. */
export interface FinalChanges {
  readonly start: readonly Pair[]
  readonly message: readonly Pair[]
}

type Row = readonly [
  path: string,
  kind: 'f' | 'l',
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  ino: number,
  isExecutable: boolean,
  hash: string | null,
  why: WhyNotKept | null,
]

/**
 * The files of one session. Each is written aside and put in place whole, so that a process that dies leaves the one
 * before. Nobody else can read them.
 */
export function sessionFolder(folder: string) {
  function read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(folder, name), 'utf8'))
    } catch {
      return undefined
    }
  }

  function write(name: string, value: unknown) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, `${name}.next`), JSON.stringify(value), { mode: 0o600 })
    renameSync(join(folder, `${name}.next`), join(folder, name))
  }

  return {
    note: () => read('session.json') as SessionNote | undefined,
    writeNote: (note: SessionNote) => write('session.json', note),
    start: (): Tree => new Map(((read('start.json') ?? []) as Row[]).map(fromRow)),
    writeStart: (tree: Tree) =>
      write(
        'start.json',
        [...tree].map(([path, known]) => toRow(path, known)),
      ),
    /** How the tree was at the last message, against how it was at the start. */
    message: (): TreeChanges => new Map((read('message.json') ?? []) as [string, KnownFile][]),
    writeMessage: (changes: TreeChanges) => write('message.json', [...changes]),
    final: () => read('final.json') as FinalChanges | undefined,
    writeFinal: (final: FinalChanges) => write('final.json', final),
    /** What `final` has taken the place of. */
    dropTrees() {
      for (const name of ['start.json', 'message.json']) rmSync(join(folder, name), { force: true })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
export type SessionFolder = ReturnType<typeof sessionFolder>

export function foldersIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function toRow(path: string, known: KnownFile): Row {
  const { kind, size, mtimeMs, ctimeMs, ino, isExecutable, hash = null, why = null } = known
  return [path, kind === 'file' ? 'f' : 'l', size, mtimeMs, ctimeMs, ino, isExecutable, hash, why]
}

function fromRow([path, kind, size, mtimeMs, ctimeMs, ino, isExecutable, hash, why]: Row): [string, KnownFile] {
  const entry = {
    kind: kind === 'f' ? ('file' as const) : ('link' as const),
    size,
    mtimeMs,
    ctimeMs,
    ino,
    isExecutable,
  }
  return [path, { ...entry, ...(hash !== null && { hash }), ...(why !== null && { why }) }]
}
