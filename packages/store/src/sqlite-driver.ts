export type SqlValue = string | number | null

export interface SqliteStatement {
  run(values: readonly SqlValue[]): { readonly changes: number }
  all(values: readonly SqlValue[]): readonly unknown[]
  get(values: readonly SqlValue[]): unknown
}

export interface SqliteConnection {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  /** Lets go of every statement and of the file. */
  close(): void
}

/** Synchronous on purpose: nothing else runs between `BEGIN` and `COMMIT`. */
export interface SqliteDriver {
  readonly name: string
  open(path: string): SqliteConnection
}

/** The SQLite inside Node where there is one (22.13 and later), else the one compiled to WebAssembly. */
export async function loadSqliteDriver(): Promise<SqliteDriver> {
  const { nodeSqliteDriver } = await import('./node-sqlite-driver.ts')
  const builtIn = nodeSqliteDriver()
  if (builtIn) return builtIn
  const { wasmSqliteDriver } = await import('./wasm-sqlite-driver.ts')
  return wasmSqliteDriver()
}
