import { dirname } from 'node:path'
import { CommitInDoubt, StoreFault } from '@holdpoint/core/store'
import { ArchiveFiles } from './archive-files.ts'
import type { SqliteConnection, SqliteStatement, SqlValue } from './sqlite-driver.ts'
import { isRefusedByTable, storeFault } from './sqlite-error.ts'
import { openSqliteFile, reopenSqliteFile, type SqliteFile } from './sqlite-file.ts'

/** One connection with its statements. A connection that a fault has left in doubt is replaced at the next use. */
export class SqliteDatabase {
  readonly #file: SqliteFile
  readonly #statements = new Map<string, SqliteStatement>()
  #connection: SqliteConnection | undefined
  #closed = false
  #connections = 1

  /** What has left the database, beside it. */
  readonly archives: ArchiveFiles

  constructor(file: SqliteFile) {
    this.#file = file
    this.archives = new ArchiveFiles(dirname(file.path))
    file.checkLock?.()
    this.#connection = openSqliteFile(file)
  }

  /** Changes when the connection was replaced: what was remembered of the tables may then be out of date. */
  get connections(): number {
    return this.#connections
  }

  run(sql: string, values: readonly SqlValue[]): number {
    return this.#statement(sql).run(values).changes
  }

  /** The row's type is the caller's word for what its own SQL selects. */
  get<Row>(sql: string, values: readonly SqlValue[]): Row | undefined {
    return this.#statement(sql).get(values) as Row | undefined
  }

  all<Row>(sql: string, values: readonly SqlValue[]): readonly Row[] {
    return this.#statement(sql).all(values) as readonly Row[]
  }

  /** All of `work` or none of it, flushed to disk. Throws a `StoreFault` (in COMMIT a `CommitInDoubt`), or what a table refused. */
  transaction<T>(work: () => T): T {
    let isCommitting = false
    try {
      return this.guard(() => {
        this.run('BEGIN IMMEDIATE', [])
        const result = work()
        isCommitting = true
        this.run('COMMIT', [])
        return result
      })
    } catch (error) {
      if (!isCommitting || !(error instanceof StoreFault)) throw error
      // Whatever the fault: its pages may be in the write-ahead file, where only the next connection sees them.
      this.#disconnect()
      throw new CommitInDoubt(error)
    }
  }

  /** Runs statements; turns what SQLite throws into a `StoreFault`, and leaves no transaction open behind it. */
  guard<T>(work: () => T): T {
    if (this.#closed) throw new StoreFault('closed', 'The store is closed.')
    this.#file.checkLock?.()
    try {
      this.#connection ??= this.#reconnect()
      return work()
    } catch (error) {
      if (!this.#rollBack()) this.#disconnect()
      if (isRefusedByTable(error)) throw error
      const fault = storeFault(error, this.#file.path)
      if (fault.code === 'io' || fault.code === 'busy') this.#disconnect()
      throw fault
    }
  }

  /** A transaction after which nothing of what it has removed is left in the file, in pages that it has freed either. */
  removing<T>(work: () => T): T {
    this.guard(() => this.#connection?.exec('PRAGMA secure_delete = ON'))
    try {
      return this.transaction(work)
    } finally {
      this.#connection?.exec('PRAGMA secure_delete = FAST')
    }
  }

  close(): void {
    this.#closed = true
    // Closing writes to the file: one that another gateway has by now is left as a killed process would leave it.
    if (this.#isOurs()) this.#disconnect()
  }

  #isOurs(): boolean {
    try {
      this.#file.checkLock?.()
      return true
    } catch {
      return false
    }
  }

  #statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      if (!this.#connection) throw new Error('statements run inside guard')
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #rollBack(): boolean {
    try {
      this.#connection?.exec('ROLLBACK')
      return true
    } catch (error) {
      return error instanceof Error && error.message.includes('no transaction is active')
    }
  }

  #reconnect(): SqliteConnection {
    const connection = reopenSqliteFile(this.#file)
    this.#connections++
    return connection
  }

  #disconnect(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#statements.clear()
    try {
      connection?.close()
    } catch {
      // A connection that cannot even be closed is the reason why it is given up.
    }
  }
}
