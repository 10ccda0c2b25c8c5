import type { Reader } from './reader-options.ts'

const NUMBERS = /^\d+(\.\d+)?$/

/** Programs of which it is known, option by option, that they only print what this machine is and does. */
export const TELLING: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['whoami', { anyOption: true, words: 'none' }],
  ['nproc', { anyOption: true, words: 'none' }],
  ['uname', { anyOption: true, words: 'none' }],
  ['uptime', { anyOption: true, words: 'none' }],
  ['arch', { words: 'none' }],
  ['tty', { options: '-s', words: 'none' }],
  ['id', { options: '-u -g -G -n -r -z --user --group --groups --name --real', words: 'text' }],
  ['groups', { words: 'text' }],
  ['who', { options: '-a -b -d -H -l -m -p -q -r -s -t -T -u -w', words: 'none' }],
  ['w', { options: '-h -s -f', words: 'none' }],
  // Not `-d`, which asks a name server, and not `-f`.
  ['last', { options: '-# -n:text -x -F -w -R -a', words: 'text' }],
  ['cal', { options: '-1 -3 -y -j', words: 'text' }],
  ['hostname', { options: '-f -s -d -i -I --fqdn --short --domain', words: 'none' }],
  ['free', { options: '-b -k -m -g -h -t -w --human --total --wide --mega --giga', words: 'none' }],
  [
    'ps',
    {
      // Not the letter e without a dash: it shows the environment, with what is secret in it. And where ps cannot read its
      // options (`-x`, two forms at once, `-u` without a user), it reads all of them as if they had no dash.
      options:
        '-A -a -d -e -f -F -l -y -H -j -T -x -w -p:text -u:text -U:text -o:text --sort=text --pid=text --ppid=text --forest --no-headers',
      words: 'text',
      refuses: (words, given, all) =>
        words.some((word) => !/^[aufxwlj]+$/.test(word)) ||
        (all.some((text) => /^-[^-]*e/.test(text)) && !isPlainList(words, given)) ||
        (given.has('-u') && all.some((text) => /^[^-]*e/.test(text))),
    },
  ],
  ['pstree', { options: '-a -A -g -h -l -n -p -s -T -u', words: 'text' }],
  ['pgrep', { options: '-a -c -f -i -l -n -o -v -x -u:text -P:text', words: 'text' }],
  ['pidof', { options: '-s -x', words: 'text' }],
  // Only as a list: its keys end programs.
  [
    'top',
    { options: '-b -c -H -i -n:text -o:text -u:text -p:text', words: 'none', refuses: (_, given) => !given.has('-b') },
  ],
  ['vmstat', { options: '-a -d -m -n -s -t -w', words: 'text', refuses: (words) => !words.every(isNumber) }],
  ['lscpu', { options: '-a -b -c -e?text -J -p?text -x -y', words: 'none' }],
  ['lsblk', { options: '-a -b -d -f -i -J -l -m -n -o:text -O -p -P -r -S -t', words: 'none' }],
  ['lsmod', { words: 'none' }],
  // Not `-q`, which asks a name server, and nothing that names a file.
  ['lspci', { options: '-D -k -m -n -t -v -s:text -d:text', words: 'none' }],
  ['lsusb', { options: '-t -v -s:text -d:text', words: 'none' }],
  ['lsb_release', { options: '-a -c -d -i -r -s', words: 'none' }],
  ['findmnt', { options: '-a -D -J -l -n -o:text -r -R -t:text', words: 'text' }],
  ['getconf', { options: '-a', words: 'text-first' }],
  // A name with `=` is set, also without `-w`.
  [
    'sysctl',
    { options: '-a -e -n -N', words: 'text', refuses: (words) => !words.every((name) => /^\w+([.-]\w+)*$/.test(name)) },
  ],
  // Not `-c`, `-C` and `-n`, which change the buffer, and not `-H`, which starts a pager.
  ['dmesg', { options: '-d -e -k -l:text -r -t -T -u -w -x --ctime --level=text', words: 'none' }],
  // A number behind `-n` is a word of its own. Not `--cursor-file`, which writes, nor `--vacuum-…`, `--rotate`, `--sync`.
  [
    'journalctl',
    {
      options: `-a -b?text -f -g:text -k -n?text -o:text -p:text -q -r -S:text -t:text -u:text -U:text -x --boot?text --catalog
        --disk-usage --dmesg --follow --grep=text --identifier=text --lines?text --list-boots --no-hostname --no-pager
        --output=text --priority=text --quiet --reverse --since=text --unit=text --until=text --user --user-unit=text --utc`,
      words: 'text',
      refuses: (words) => !words.every(isNumber),
    },
  ],
  // Behind `@` is a name that is looked up. Without `-n` it asks a name server for all others.
  [
    'lsof',
    {
      options: '-a -c:text -i?text -n -p:text -P -s?text -t -u:text',
      refuses: (_, given, all) => !given.has('-n') || all.some((text) => /[@*?[]|^\+/.test(text)),
    },
  ],
  // Not `-K`, which ends connections, nor `-D` and `-F`. Words are filters, whose names are looked up.
  ['ss', { options: '-4 -6 -a -e -H -i -l -m -n -o -p -s -t -u -w -x', words: 'none' }],
  [
    'netstat',
    { options: '-4 -6 -a -e -i -l -n -p -r -s -t -u -x', words: 'none', refuses: (_, given) => !given.has('-n') },
  ],
  // Not `-k`, which ends them.
  ['fuser', { options: '-a -u -v' }],
  ['whereis', { options: '-b -m -s', words: 'text' }],
  // Not `hosts`, which asks a name server.
  ['getent', { words: 'text', first: ['passwd', 'group', 'services', 'protocols'] }],
  // Not `--log-file`.
  [
    'pkg-config',
    {
      options: '--cflags --exists --libs --list-all --modversion --print-requires --variable=text --version',
      // A word may be a list of names, or of files.
      refuses: (words) => words.some((word) => /\s/.test(word) && word.includes('/')),
    },
  ],
  [
    'dpkg-query',
    {
      options: '-l -L -s -S -W -f:text --list --listfiles --search --show --showformat=text --status',
      words: 'text',
    },
  ],
  // Not `-o` and `-c`: its settings name programs.
  ['apt-cache', { options: '-q --quiet', first: ['policy', 'show', 'search', 'depends', 'rdepends', 'madison'] }],
])

const BESIDE_E = new Set(['-e', '-A', '-w', '--forest', '--no-headers', '--sort'])

/** Whether ps can read all its options as they are written: in one form, and with nothing that may be in its way. */
function isPlainList(words: readonly string[], given: ReadonlySet<string>): boolean {
  const form = [...given].filter((name) => !BESIDE_E.has(name)).join('')
  return words.length === 0 && /^(-o|(-[fFly])*)$/.test(form)
}

function isNumber(word: string): boolean {
  return NUMBERS.test(word)
}
