import { rmdirSync } from 'node:fs'
import type { Database, Statement } from 'node-sqlite3-wasm'
import type { SqliteConnection, SqliteDriver, SqliteStatement, SqlValue } from './sqlite-driver.ts'

export async function wasmSqliteDriver(): Promise<SqliteDriver> {
  const { default: sqlite } = (await import('node-sqlite3-wasm')) as unknown as {
    default: { Database: new (path: string) => Database }
  }
  return {
    name: 'node-sqlite3-wasm',
    open(path) {
      removeStaleLock(path)
      return new WasmConnection(new sqlite.Database(path))
    },
  }
}

/**
 * This SQLite locks by making a directory, which a killed process leaves behind. Whoever opens the file holds the data
 * folder's own lock, which is given to nobody while an earlier holder lives: a directory found here is a dead process's.
 */
function removeStaleLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

class WasmConnection implements SqliteConnection {
  readonly #database: Database
  readonly #statements: WasmStatement[] = []

  constructor(database: Database) {
    this.#database = database
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  prepare(sql: string): SqliteStatement {
    const statement = new WasmStatement(this.#database, sql)
    this.#statements.push(statement)
    return statement
  }

  close(): void {
    for (const statement of this.#statements.splice(0)) statement.finalize()
    this.#database.close()
  }
}

/** A statement that has failed reports its old failure at the next use: it is thrown away and made anew. */
class WasmStatement implements SqliteStatement {
  readonly #database: Database
  readonly #sql: string
  #statement: Statement | undefined

  constructor(database: Database, sql: string) {
    this.#database = database
    this.#sql = sql
    this.#statement = database.prepare(sql)
  }

  run(values: readonly SqlValue[]): { changes: number } {
    return this.#use((statement) => statement.run(values as SqlValue[]))
  }

  all(values: readonly SqlValue[]): readonly unknown[] {
    return this.#use((statement) => statement.all(values as SqlValue[]))
  }

  get(values: readonly SqlValue[]): unknown {
    // Its own `get` stops at the first row and leaves the read open, which would keep the WAL file from ever shrinking.
    return this.all(values)[0]
  }

  finalize(): void {
    try {
      this.#statement?.finalize()
    } catch {
      // Hands out the statement's last failure once more, which was thrown where it happened.
    }
    this.#statement = undefined
  }

  #use<T>(work: (statement: Statement) => T): T {
    this.#statement ??= this.#database.prepare(this.#sql)
    try {
      return work(this.#statement)
    } catch (error) {
      this.finalize()
      throw error
    }
  }
}
