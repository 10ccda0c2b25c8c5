/** Programs that run no file of a project, whatever their arguments are. */
const PLAIN = new Set(
  `: [ basename base64 bc cat cd chgrp chmod chown cksum clear cmp column comm cp cut date dd df diff dirname du echo
  egrep exit expand export expr false fgrep file fmt fold free getconf grep groups gunzip gzip head hexdump hostname id
  join kill ln ls lsof md5sum mkdir mktemp mv nl nproc od paste pgrep ping pkill popd printenv printf ps pushd pwd
  read readlink realpath return rev rm rmdir seq set sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat strings
  sum sync tac tail tee test touch tr tree true truncate tty type umask uname unexpand uniq unset unzip uptime wait wc
  which whoami xxd yes zcat`.split(/\s+/),
)
/** Whether this call of a program of the system runs no file of the project by itself. */
export function isPlain(base: string, args: readonly (string | undefined)[]): boolean {
  if (PLAIN.has(base)) return true
  const given = (option: RegExp) => args.some((arg) => arg === undefined || option.test(arg))
  if (base === 'find') return true
  // Long options may be shortened, so that only those that are written out count.
  if (base === 'sort') return !given(/^--(?!(reverse|unique|numeric-sort|version-sort|stable|key=.*)$)/)
  if (base === 'curl')
    return !given(/^-(?![sSfLoOIivkXHdAemu]+$|-(fail|silent|show-error|location|output|header|data)$)/)
  if (base === 'rg') return !given(/^--(pre|hostname-bin)/)
  if (base === 'jq') return !given(/^(-L|-f|--from-file|--library-path)/)
  if (base === 'sed') return isPlainSed(args)
  // `-v` and its like look for a program, and run none.
  if (base === 'command') return args[0] === '-v' || args[0] === '-V'
  return false
}

/** Printing lines and replacing text, written out. Scripts of sed can run programs. */
function isPlainSed(args: readonly (string | undefined)[]): boolean {
  const [option, script] = args
  const known = [option, script].find((word) => word !== undefined && !word.startsWith('-'))
  if (args.some((arg) => arg === undefined || /^-(?!n$|E$|r$|i$)/.test(arg))) return false
  return (
    known !== undefined && /^(\d+(,(\d+|\$))?p|s([/|#])((?!\4)[^\\\n;])*\4((?!\4)[^\\\n;])*\4[gip\d]*)$/.test(known)
  )
}

/** Of those, these change no file either. */
const READING = new Set(
  `: [ basename cat cd cut date dirname echo egrep exit false fgrep grep head id ls nproc printf pwd readlink
  realpath seq set sleep stat tail test tr true type uname wc which whoami`.split(/\s+/),
)

/** Whether this call of a program of the system changes no file. */
export function isReading(base: string, args: readonly (string | undefined)[]): boolean {
  if (base === 'find') return !args.some((arg) => arg === undefined || /^-(delete|f(print|ls))/.test(arg))
  return READING.has(base)
}
