const BY_ENDING: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  cjs: 'javascript',
  css: 'css',
  cts: 'typescript',
  diff: 'diff',
  go: 'go',
  htm: 'html',
  html: 'html',
  js: 'javascript',
  json: 'json',
  jsonc: 'json',
  jsx: 'tsx',
  markdown: 'markdown',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  sh: 'shellscript',
  sql: 'sql',
  ts: 'typescript',
  tsx: 'tsx',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'shellscript',
}

const BY_NAME: Readonly<Record<string, string>> = {
  console: 'shellscript',
  golang: 'go',
  javascript: 'javascript',
  python: 'python',
  rust: 'rust',
  shell: 'shellscript',
  shellscript: 'shellscript',
  typescript: 'typescript',
}

/** The grammar for a file, by its ending. */
export function languageOfFile(path: string): string | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]
  return ending === undefined ? undefined : find(BY_ENDING, ending)
}

/** The grammar for the word after a code fence. */
export function languageOfFence(word: string): string | undefined {
  return find(BY_NAME, word) ?? find(BY_ENDING, word)
}

function find(table: Readonly<Record<string, string>>, word: string): string | undefined {
  const key = word.toLowerCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}
