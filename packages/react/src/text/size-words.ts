/** `48 KB`, `1.9 MB`. */
export function sizeWords(characters: number): string {
  if (characters < 1_000_000) return `${Math.ceil(characters / 1000)} KB`
  return `${(characters / 1_000_000).toFixed(1)} MB`
}
