/** Other gateways that write to the same log. */
export interface OtherWriters {
  /** Calls back when one of them may have appended. */
  onAppended(listener: () => void): () => void
  /** Resolves once this gateway knows of rights that are newer than this number, and when `signal` aborts. */
  authorityAfter(number: number, options: { readonly signal: AbortSignal }): Promise<void>
}
