/** A word in which no character means anything to any shell. */
const WORD = /[\w./:@%+,-][\w./:@%+=,-]*|'[^'\n]*'|"[^"\\$`!\n]*"/
/** They show what the call before them prints, and run nothing. */
const SHOWS = 'head|tail|wc|cat|grep'
const LINE = new RegExp(
  `^(?<call>(?:${WORD.source})(?: +(?:${WORD.source}))*)(?<into> *>>? *(?:${WORD.source}))?(?: +2>&1)?(?: *\\| *(?:${SHOWS})(?: +(?:${WORD.source}))*)*$`,
)
const SHELL = /^(ba|da|z)?sh$/
const INTERPRETER = /^(node|nodejs|tsx|ts-node|(python|ruby|perl|php)[\d.]*)$/
const PACKAGE_MANAGER = /^(npm|pnpm|yarn|bun)$/
/** Whatever their arguments are, they run no file. */
const PLAIN = new Set(
  `basename cat chmod cksum cmp cp date df diff dirname du echo egrep false fgrep grep head id ln ls md5sum mkdir mv nproc
  pwd readlink realpath rm rmdir seq sha1sum sha256sum sha512sum sleep stat tail touch true uname wc which whoami`.split(
    /\s+/,
  ),
)

/**
 * Whether this is one call of a program, in a shape of which it is certain what it runs: the program itself, a script, a
 * script of `package.json`, or nothing. Much else can be read, but not so that everything it may run is surely known: a
 * remembered answer would then hold for code that nobody has seen (T22).
 */
export function isSimpleCall(line: string): boolean {
  const { call, into } = LINE.exec(line)?.groups ?? {}
  if (call === undefined) return false
  const [name = '', ...args] = [...call.matchAll(new RegExp(WORD, 'g'))].map(([word]) =>
    word.replace(/^(['"])(.*)\1$/, '$2'),
  )
  // What it prints may go into a file, unless a program beside it runs that.
  if (into !== undefined) return PLAIN.has(name)
  if (name.includes('/')) return /^[\w./+-]+$/.test(name)
  if (SHELL.test(name)) return /^[^-+]/.test(args.find((arg) => !/^-[eux]+$/.test(arg)) ?? '-')
  // A name without a dot or a slash may be a command of the interpreter's own.
  if (INTERPRETER.test(name)) return /^[^-].*[./]|^[./]/.test(args[0] ?? '')
  if (name === 'make') return args.every((arg) => /^(-j\d*|[A-Za-z_][\w.-]*)$/.test(arg))
  if (PACKAGE_MANAGER.test(name)) return isScriptOfPackage(args)
  return PLAIN.has(name)
}

/** Options before `--` may name programs. What installs runs the scripts of other packages. */
function isScriptOfPackage([command = '', ...rest]: readonly string[]): boolean {
  const given = command === 'run' ? rest.slice(1) : rest
  if (command === 'run' ? !/^\w[\w:.-]*$/.test(rest[0] ?? '') : !/^(test|t|start)$/.test(command)) return false
  return given.length === 0 || given[0] === '--'
}
