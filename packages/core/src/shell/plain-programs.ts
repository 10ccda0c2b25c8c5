/** Programs that run no file of a project, whatever their arguments are. */
const PLAIN = new Set(
  `: [ basename base64 bc cat cd chgrp chmod chown cksum clear cmp column comm cp curl cut date dd df diff dirname du echo
  egrep exit expand export expr false fgrep file fmt fold free getconf grep groups gunzip gzip head hexdump hostname id
  join kill less ln ls lsof md5sum mkdir mktemp mv nl nproc od paste pgrep ping pkill popd printenv printf ps pushd pwd
  read readlink realpath return rev rm rmdir seq set sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat strings
  sum sync tac tail tee test touch tr tree true truncate tty type umask uname unexpand uniq unset unzip uptime wait wc
  which whoami xxd yes zcat`.split(/\s+/),
)
/** Of git: these run no hook of the repository. */
const PLAIN_GIT = new Set(
  'add blame branch describe diff fetch log ls-files ls-remote ls-tree reflog remote rev-list rev-parse shortlog show status tag'.split(
    ' ',
  ),
)
/** Options of git that name programs, or settings that do. */
const GIT_RUNS =
  /^(-c|-C|-O|-x|--config|--exec|--git-dir|--work-tree|--upload-pack|--receive-pack|--open-files|--ext-diff)/

/** Whether this call of a program of the system runs no file of the project by itself. */
export function isPlain(base: string, args: readonly (string | undefined)[]): boolean {
  if (PLAIN.has(base)) return true
  const given = (option: RegExp) => args.some((arg) => arg === undefined || option.test(arg))
  if (base === 'find') return true
  if (base === 'sort') return !given(/^--comp/)
  if (base === 'rg') return !given(/^--(pre|hostname-bin)/)
  if (base === 'jq') return !given(/^(-L|-f|--from-file|--library-path)/)
  if (base === 'sed') return isPlainSed(args)
  // `-v` and its like look for a program, and run none.
  if (base === 'command') return args[0] === '-v' || args[0] === '-V'
  if (base !== 'git') return false
  const [command] = args
  return command !== undefined && PLAIN_GIT.has(command) && !given(GIT_RUNS)
}

/** Printing lines and replacing text, written out. Scripts of sed can run programs. */
function isPlainSed(args: readonly (string | undefined)[]): boolean {
  const [option, script] = args
  const known = [option, script].find((word) => word !== undefined && !word.startsWith('-'))
  if (args.some((arg) => arg === undefined || /^-(?!n$|E$|r$|i$)/.test(arg))) return false
  return (
    known !== undefined &&
    /^(\d+(,(\d+|\$))?p|s([/|#])[^\\\n;]*\4g?)$/.test(known) &&
    !/e[gip\d]*$/.test(known.split(/[/|#]/).at(-1) ?? '')
  )
}
