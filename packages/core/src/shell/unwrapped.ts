import { isHarmlessVariable } from './commands-in.ts'
import { isSystemProgram } from './system-program.ts'

type Words = readonly (string | undefined)[]

/** How a program that starts another one is written: options that take a value, and words before the other program. */
interface Wrapper {
  readonly valued: RegExp
  readonly flags: RegExp
  readonly before: number
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { valued: /^(-u|--unset)$/, flags: /^(-|-i|--ignore-environment|--unset=.*)$/, before: 0 },
  nohup: { valued: /(?!)/, flags: /(?!)/, before: 0 },
  setsid: { valued: /(?!)/, flags: /^-[cfw]+$/, before: 0 },
  nice: { valued: /^(-n|--adjustment)$/, flags: /^(-n?-?\d+|--adjustment=.*)$/, before: 0 },
  ionice: { valued: /^-[cnp]$/, flags: /^(-t|-[cn]\d)$/, before: 0 },
  stdbuf: { valued: /^-[ioe]$/, flags: /^-[ioe].+$/, before: 0 },
  sudo: { valued: /^(-u|-g|-h|-p|-C|-r|-t|--user|--group)$/, flags: /^(-[nEHkSA]+|--preserve-env)$/, before: 0 },
  doas: { valued: /^-u$/, flags: /^-n$/, before: 0 },
  time: { valued: /^(-f|-o)$/, flags: /^-[apv]+$/, before: 0 },
  timeout: {
    valued: /^(-s|-k|--signal|--kill-after)$/,
    flags: /^(-v|--foreground|--preserve-status|--signal=.*|--kill-after=.*)$/,
    before: 1,
  },
  xargs: {
    // Not `-I`: with it any word of the program may be what was read.
    valued: /^-[LnPsEd]$/,
    flags: /^(-[0rtx]+|-[LnP]\d+|--null|--no-run-if-empty|--max-args=\d+|--max-procs=\d+)$/,
    before: 0,
  },
}

/** They take a whole command as text, or start it later: what that is cannot be told by its place. */
const OPAQUE = new Set([
  'watch',
  'parallel',
  'su',
  'runuser',
  'flock',
  'script',
  'expect',
  'tmux',
  'screen',
  'at',
  'batch',
])

/** The program behind `env`, `timeout` and the like with its arguments, several for `find -exec`, or why not known. */
export function unwrapped(words: Words): { readonly programs: readonly Words[] } | { readonly why: string } {
  const name = words[0]
  // A file of the project may have any name.
  if (name === undefined || !isSystemProgram(name)) return { programs: [words] }
  const base = name.split('/').at(-1) ?? ''
  if (OPAQUE.has(base)) return { why: `Holdpoint does not know what ${base} starts.` }
  if (base === 'find') {
    // They run in the folder of each file that is found.
    const elsewhere = words.find((word) => word !== undefined && /^-(exec|ok)dir$/.test(word))
    return elsewhere
      ? { why: `Holdpoint does not know in which folders find ${elsewhere} runs programs.` }
      : { programs: [words, ...found(words)] }
  }
  const wrapper = Object.hasOwn(WRAPPERS, base) ? WRAPPERS[base] : undefined
  if (!wrapper) return { programs: [words] }
  let at = 1
  for (; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) return { why: `What ${base} starts is known only at run time.` }
    if (word === '--') {
      at++
      break
    }
    if (base === 'env' && /^[A-Za-z_]\w*=/.test(word)) {
      const [variable = ''] = word.split('=')
      if (isHarmlessVariable(variable)) continue
      return { why: `The command sets ${variable}, which may decide what runs.` }
    }
    if (wrapper.valued.test(word)) at++
    else if (!wrapper.flags.test(word)) {
      if (word.startsWith('-')) return { why: `Holdpoint does not know what ${base} ${word} does.` }
      break
    }
  }
  const rest = words.slice(at + wrapper.before)
  if (rest.length === 0) return { programs: [words] }
  const inner = unwrapped(rest)
  // Behind the words that stand here come those that it reads.
  return base === 'xargs' && 'programs' in inner
    ? { programs: inner.programs.map((each) => [...each, undefined]) }
    : inner
}

function found(words: Words): Words[] {
  return words.flatMap((word, place) => {
    if (word === undefined || !/^-(exec|ok)$/.test(word)) return []
    const rest = words.slice(place + 1)
    const end = rest.findIndex((part) => part === ';' || part === '+')
    // The name of each file that is found stands in place of the braces.
    return [rest.slice(0, end < 0 ? rest.length : end).map((part) => (part?.includes('{}') ? undefined : part))]
  })
}
