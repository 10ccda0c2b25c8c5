import type { SqliteConnection, SqliteDriver, SqliteStatement, SqlValue } from './sqlite-driver.ts'

interface NodeStatement {
  run(...values: SqlValue[]): { changes: number | bigint }
  all(...values: SqlValue[]): unknown[]
  get(...values: SqlValue[]): unknown
}
interface NodeDatabase {
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  close(): void
}
interface NodeSqlite {
  DatabaseSync: new (path: string) => NodeDatabase
}

/** Absent before Node 22.13. Asked for by name at run time: a static import would keep Node 20 from starting. */
export function nodeSqliteDriver(): SqliteDriver | undefined {
  const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined
  return sqlite && { name: 'node:sqlite', open: (path) => new NodeConnection(new sqlite.DatabaseSync(path)) }
}

class NodeConnection implements SqliteConnection {
  readonly #database: NodeDatabase

  constructor(database: NodeDatabase) {
    this.#database = database
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#database.prepare(sql)
    return {
      run: (values) => ({ changes: Number(statement.run(...values).changes) }),
      all: (values) => statement.all(...values),
      get: (values) => statement.get(...values),
    }
  }

  close(): void {
    this.#database.close()
  }
}
