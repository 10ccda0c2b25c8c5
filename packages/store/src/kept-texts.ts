/** Characters of texts that are kept of what was read last. */
const KEPT = 8 * 1024 * 1024

type Texts = ReadonlyMap<number, string>

/** The texts of the blocks of an archive that were read last. */
export class KeptTexts {
  readonly #kept = new Map<string, { readonly texts: Texts; readonly size: number }>()
  #size = 0

  get(key: string): Texts | undefined {
    return this.#kept.get(key)?.texts
  }

  put(key: string, texts: Texts): void {
    // Two may have read it at the same time.
    this.#drop(key)
    let size = 0
    for (const text of texts.values()) size += text.length
    this.#kept.set(key, { texts, size })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= KEPT || oldest === key) break
      this.#drop(oldest)
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
