import { StoreFault } from '@holdpoint/core/store'
import type { SqliteConnection } from './sqlite-driver.ts'

/**
 * Step n takes a database from version n to n + 1. A released step never changes.
 *
 * `events` is the truth; every other table but `records` finds rows in it and is checked against it. Ids that the agent
 * chose are kept as JSON text: they may hold what SQLite's text cannot (NUL, half of a surrogate pair). `sum` guards
 * what no event covers. `seq` is given by the writer, without gaps, so that a missing row shows. Nothing is ever deleted,
 * so there are no foreign keys to pay for at each write; `verify` checks that every row finds its event. An index by
 * session would cost a page per session and commit: where a session's events stand is kept in its own row instead, which
 * is written anyway, and moves on to `places` sixteen at a time. `history`, `calls` and the tables beside them are caches, filled behind
 * the log and thrown away when their version changes. `usage` has sums.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    session_seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    checkpoint INTEGER NOT NULL,
    activity_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    data TEXT NOT NULL,
    sum TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE asks (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    tool_use_id TEXT,
    raised_seq INTEGER NOT NULL,
    settled_seq INTEGER,
    delivered_seq INTEGER,
    UNIQUE (session_id, epoch, request_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX asks_settled ON asks (settled_seq) WHERE settled_seq IS NOT NULL;
  CREATE TABLE items (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    status TEXT,
    status_seq INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq),
    UNIQUE (session_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX items_by_status ON items (session_id, status, status_seq) WHERE status IS NOT NULL;
  CREATE TABLE rules (
    session_id TEXT NOT NULL,
    id TEXT NOT NULL,
    added_seq INTEGER NOT NULL,
    removed_seq INTEGER,
    PRIMARY KEY (session_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE records (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (collection, key)
  ) STRICT;
  `,
  // An ask that was withdrawn as changed makes room for another with the same request: what is unique is the one that
  // was not, with 0 for where that happened.
  `
  CREATE TABLE asks_by_request (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    tool_use_id TEXT,
    raised_seq INTEGER NOT NULL,
    settled_seq INTEGER,
    changed_seq INTEGER NOT NULL DEFAULT 0,
    delivered_seq INTEGER,
    UNIQUE (session_id, epoch, request_id, changed_seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO asks_by_request
    SELECT id, session_id, epoch, request_id, tool_use_id, raised_seq, settled_seq, 0, delivered_seq FROM asks;
  DROP TABLE asks;
  ALTER TABLE asks_by_request RENAME TO asks;
  CREATE INDEX asks_settled ON asks (settled_seq) WHERE settled_seq IS NOT NULL;
  `,
  // What has ended is not written to: these cost nothing while agents work.
  `
  CREATE INDEX sessions_ended ON sessions (activity_at, id) WHERE state = 'dead';
  CREATE INDEX sessions_ended_vendor ON sessions (json_extract(data, '$.vendorSessionId')) WHERE state = 'dead';
  `,
  // Reads the whole log, once.
  `
  CREATE TABLE places (
    session_id TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    seqs TEXT NOT NULL,
    PRIMARY KEY (session_id, last_seq)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE sessions ADD COLUMN recent TEXT NOT NULL DEFAULT '';
  CREATE TEMP TABLE blocks AS
    SELECT session_id, (session_seq - 1) / 16 AS block, max(seq) AS last_seq, count(*) AS size,
      group_concat(seq, ' ' ORDER BY seq) AS seqs
    FROM events GROUP BY session_id, block;
  INSERT INTO places SELECT session_id, last_seq, seqs FROM blocks WHERE size = 16 ORDER BY session_id, last_seq;
  UPDATE sessions SET recent = blocks.seqs FROM blocks WHERE blocks.session_id = sessions.id AND blocks.size < 16;
  DROP TABLE blocks;
  CREATE INDEX sessions_live ON sessions (id) WHERE state <> 'dead';
  `,
  // Filled from the log in short steps, later. The texts stand apart: a search without words reads none of them.
  `
  CREATE TABLE history (
    settled_seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    ask_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    tool TEXT NOT NULL,
    project TEXT NOT NULL,
    device TEXT NOT NULL,
    device_name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    rule TEXT NOT NULL
  ) STRICT;
  CREATE TABLE history_texts (
    settled_seq INTEGER PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  `,
  // Filled in the same way: each call once, which asks were for it, and what people decided of it in a project.
  `
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE past_calls (
    settled_seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    ask_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    trusted INTEGER NOT NULL,
    at INTEGER NOT NULL,
    decision TEXT NOT NULL,
    about TEXT NOT NULL,
    call_id INTEGER
  ) STRICT;
  CREATE TABLE decided_calls (
    project TEXT NOT NULL,
    stem TEXT NOT NULL,
    call_id INTEGER NOT NULL,
    trusted INTEGER NOT NULL,
    allowed INTEGER NOT NULL,
    denied INTEGER NOT NULL,
    latest TEXT NOT NULL,
    PRIMARY KEY (project, stem, call_id)
  ) STRICT, WITHOUT ROWID;
  `,
  // The text of an event is empty once it has left. A part of an archive that was taken out leaves a hole that is filled up.
  `
  CREATE TABLE retired (
    session_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    events INTEGER NOT NULL,
    archive TEXT NOT NULL,
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sum TEXT NOT NULL,
    blocks TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE archive_holes (
    archive TEXT NOT NULL,
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    filled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (archive, place)
  ) STRICT, WITHOUT ROWID;
  `,
  // Sums by quarter of an hour. They are not checked against the log, which they outlive.
  `
  CREATE TABLE usage (
    session_id TEXT NOT NULL,
    slot INTEGER NOT NULL,
    project TEXT NOT NULL,
    cost REAL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    PRIMARY KEY (session_id, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_by_slot ON usage (slot);
  `,
]

/** Brings a database up to date, each step together with its version number: old or new, never between (F25). */
export function migrate(connection: SqliteConnection, steps: readonly string[] = MIGRATIONS): void {
  for (let version = readPragma(connection, 'user_version'); version < steps.length; version++) {
    connection.exec('BEGIN IMMEDIATE')
    try {
      connection.exec(`${steps[version]}; PRAGMA user_version = ${version + 1}`)
      connection.exec('COMMIT')
    } catch (error) {
      connection.exec('ROLLBACK')
      throw error
    }
  }
}

/** Refuses what a later version wrote: reading it by the old rules could show wrong things (F26). */
export function refuseNewer(connection: SqliteConnection, path: string): void {
  const version = readPragma(connection, 'user_version')
  if (version <= MIGRATIONS.length) return
  throw new StoreFault(
    'newer-schema',
    `${path} was written by a newer Holdpoint (its format is ${version}, this one knows ${MIGRATIONS.length}). Update Holdpoint, or start with another data folder.`,
  )
}

export function readPragma(connection: SqliteConnection, name: 'user_version' | 'application_id'): number {
  const row = connection.prepare(`PRAGMA ${name}`).get([]) as Record<string, number>
  return row[name] ?? 0
}
