import type { HighlighterCore, LanguageRegistration } from 'shiki/core'
import type { Look } from './layout.ts'

type Grammar = () => Promise<{ readonly default: LanguageRegistration[] }>

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}

const LARGEST = 20_000
const MOST_LINES = 400
// Grammars are regular expressions over hostile text: a short line bounds how long one can take.
const LONGEST_LINE = 500
const THEME = 'holdpoint'
const COLOR = /^var\(--hp-code-token-[a-z-]+\)$/

export function canHighlight(text: string, language: string | undefined): language is string {
  return (
    language !== undefined &&
    Object.hasOwn(GRAMMARS, language) &&
    text.length <= LARGEST &&
    text.split('\n', MOST_LINES + 1).length <= MOST_LINES
  )
}

let core: Promise<HighlighterCore> | undefined

function load(): Promise<HighlighterCore> {
  core ??= (async () => {
    const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
      import('shiki/core'),
      import('shiki/engine/javascript'),
    ])
    const theme = createCssVariablesTheme({ name: THEME, variablePrefix: '--hp-code-', fontStyle: false })
    return createHighlighterCore({
      themes: [theme],
      langs: [],
      engine: createJavaScriptRegexEngine({ forgiving: true }),
    })
  })()
  return core
}

/** The colours of a text; none if anything is in doubt. */
export async function highlight(text: string, language: string): Promise<readonly Look[]> {
  const grammar = GRAMMARS[language]
  if (!grammar || !canHighlight(text, language)) return []
  const highlighter = await load()
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage(grammar)
  const tokens = highlighter.codeToTokensBase(text, {
    lang: language,
    theme: THEME,
    tokenizeMaxLineLength: LONGEST_LINE,
  })
  const looks: Look[] = []
  let at = 0
  for (const { offset, content, color } of tokens.flat()) {
    // Between two tokens is only the end of a line; a token that is not the text there would colour a lie.
    if (offset < at || !/^[\r\n]*$/.test(text.slice(at, offset)) || !text.startsWith(content, offset)) return []
    at = offset + content.length
    if (content && color && COLOR.test(color)) looks.push({ start: offset, end: at, color })
  }
  return /^[\r\n]*$/.test(text.slice(at)) ? looks : []
}
