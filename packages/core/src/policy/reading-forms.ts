import type { Reader } from './reader-options.ts'

const ASKED_OF_SYSTEMD = [
  'status',
  'is-active',
  'is-enabled',
  'is-failed',
  'list-units',
  'list-unit-files',
  'list-timers',
  'list-sockets',
  'list-dependencies',
]

function hasMoreOptions(_: readonly string[], given: ReadonlySet<string>): boolean {
  return given.size > 1
}

/**
 * Programs of Info-ZIP go on reading options behind `--`: `--l` takes back `-l`. And they look for archives by a pattern of
 * their own, which may find a link that leads out of the project.
 */
function isMoreThanNamed([archive = '']: readonly string[], all: readonly string[]): boolean {
  return all.includes('--') || /[*?[]/.test(archive)
}

/**
 * Programs that do much more, and of which some calls are known to only read. A call that is not one of these is what
 * `whatItRuns` says of its program.
 */
export const READING_FORMS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // One question about one file. Not `-v` and what compares numbers: a shell may run what stands in their words.
  [
    'test',
    {
      oneDash: true,
      options: '-d:file -e:file -f:file -h:file -L:file -r:file -s:file -w:file -x:file',
      words: 'none',
      refuses: (_words, _given, all) => all.length !== 2,
    },
  ],
  // The signal that is none.
  [
    'kill',
    { options: '-0', words: 'text', first: ['-0'], refuses: (words) => !words.every((word) => /^\d+$/.test(word)) },
  ],
  // An archive with `:` in its name is on another machine; a glob may become one. Behind `tf`, `--` is the archive's name,
  // and options follow.
  [
    'tar',
    {
      options: '-f:file -j -J -t -v -z',
      refuses: (_words, _given, all) =>
        !/^-?(?=[vzjJ]*t)[tvzjJ]+f?$/.test(all[0] ?? '') || all.some((text) => /[:*?[]|^--$/.test(text)),
    },
  ],
  // Only these, before anything else: they list or print, and write nothing.
  [
    'unzip',
    {
      options: '-l -p -v',
      first: ['-l', '-p', '-v'],
      refuses: (words, given, all) => hasMoreOptions(words, given) || isMoreThanNamed(words, all),
    },
  ],
  ['zipinfo', { options: '-1 -h -l -m -s -t', refuses: (words, _given, all) => isMoreThanNamed(words, all) }],
  [
    'dpkg',
    {
      options: '-l -L -s -S --compare-versions --list --listfiles --print-architecture --search --status',
      first: [
        '-l',
        '-L',
        '-s',
        '-S',
        '--compare-versions',
        '--list',
        '--listfiles',
        '--print-architecture',
        '--search',
        '--status',
      ],
      words: 'text',
      refuses: hasMoreOptions,
    },
  ],
  // Behind `-q` all letters ask for more to be printed. Words with signs in them may be macros, which run programs.
  [
    'rpm',
    {
      options: '-a -c -d -f -i -l -q -R',
      first: ['-q', '-qa', '-qc', '-qd', '-qf', '-qi', '-ql', '-qR'],
      words: 'text',
      refuses: (words, _given, all) =>
        all.slice(1).some((text) => text.startsWith('-')) || words.some((word) => !/^[\w.+/-]+$/.test(word)),
    },
  ],
  [
    'update-alternatives',
    {
      options: '--display --list --query',
      first: ['--display', '--list', '--query'],
      words: 'text',
      refuses: hasMoreOptions,
    },
  ],
  // Not `show` and `cat`, which print the environment of services, nor `-H` and `-M`, which reach other machines.
  [
    'systemctl',
    {
      options: `-a -l -n:text -q -t:text --all --failed --full --lines=text --no-legend --no-pager --plain --quiet --state=text
        --type=text --user`,
      words: 'text',
      refuses: ([verb = '']) => !ASKED_OF_SYSTEMD.includes(verb),
    },
  ],
])
