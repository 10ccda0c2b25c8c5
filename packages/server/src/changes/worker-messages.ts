import type { ChangeStore, ChangeStoreOptions } from './change-store.ts'

/** What the thread is given as it begins. */
export type ChangeWorkerData = ChangeStoreOptions

export interface ChangeCall {
  readonly id: number
  readonly method: keyof ChangeStore
  readonly args: readonly unknown[]
}

export type ChangeReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
