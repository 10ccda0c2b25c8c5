/** From where an ask was answered; empty where no person answered. */
export function viaWords(via: string): string {
  return Object.hasOwn(WORDS, via) ? (WORDS[via] ?? '') : `over ${via}`
}

const WORDS: Readonly<Record<string, string>> = {
  web: 'in a browser',
  api: 'over the API',
  terminal: 'at a command line',
  push: 'from a notification',
  rule: '',
  appeal: '',
  gateway: '',
}
