import { programOf } from './program-of.ts'
import { hasLateOption, type Reader, type ReaderWords, readerWords } from './reader-options.ts'
import { READING_FORMS } from './reading-forms.ts'
import { READING_GIT, READING_GIT_FORMS } from './reading-git.ts'
import { type Word, writtenWord } from './shell-word.ts'
import { TELLING } from './telling-programs.ts'
import { TEXT_READERS } from './text-readers.ts'

// A glob may become `-c`, which reads the files that a list names. But it only says whether they are as they were.
const SUMS: Reader = { anyGlob: true, options: '-b -t -z --binary --text --tag --zero' }
const GREP: Reader = {
  // Not `-R`, which follows links to wherever they lead, and not `-f`. To grep of BSD, the word behind `--context` is not
  // its value.
  options: `-c -i -v -n -l -L -w -x -o -q -s -h -H -E -F -G -P -r -a -I -z -Z -T -b -y -U -# -A:text -B:text -C:text -m:text
    -e:text -d:text -D:text --count --ignore-case --no-ignore-case --invert-match --line-number --files-with-matches
    --files-without-match --word-regexp --line-regexp --only-matching --quiet --silent --no-messages --no-filename
    --with-filename --extended-regexp --fixed-strings --basic-regexp --perl-regexp --recursive --text --null --null-data
    --byte-offset --initial-tab --binary --after-context=text --before-context=text --context?text --max-count=text
    --regexp=text --include=text --exclude=text --exclude-dir=text --color?text --colour?text --label=text
    --binary-files=text --line-buffered`,
  words: 'text-first',
  instead: ['-e', '--regexp'],
}
const ANY_FILES: Reader = { anyOption: true }
const ANY_TEXT: Reader = { anyOption: true, words: 'text' }

/** Programs of which it is known, option by option, that they only read and print. What is not here is not known. */
const READING: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['ls', ANY_FILES],
  ['cat', ANY_FILES],
  ['tac', ANY_FILES],
  ['rev', ANY_FILES],
  ['nl', ANY_FILES],
  ['readlink', ANY_FILES],
  ['realpath', ANY_FILES],
  ['pwd', { anyOption: true, words: 'none' }],
  ['true', ANY_TEXT],
  ['false', ANY_TEXT],
  ['echo', ANY_TEXT],
  ['basename', ANY_TEXT],
  ['dirname', ANY_TEXT],
  ['tr', ANY_TEXT],
  ['which', ANY_TEXT],
  ['type', ANY_TEXT],
  ['command', { options: '-v -V', words: 'text', refuses: (_, options) => options.size === 0 }],
  // `-v` sets a variable, and so does `%n`; a shell may count with what `%d` is given, and run what stands in brackets.
  [
    'printf',
    {
      words: 'text',
      refuses: ([format = '', ...given]) =>
        !/^([^%]|%%|%-?\d*s)*$/.test(format) &&
        !(/^([^%]|%%|%-?\d*[sd])*$/.test(format) && given.every((word) => /^\d{1,15}$/.test(word))),
    },
  ],
  ['cd', { refuses: (words) => words.length !== 1 || words[0] === '-' || words[0] === '' }],
  ['head', { options: '-# -n:text -c:text -q -v -z --lines=text --bytes=text --quiet --silent --verbose' }],
  [
    'tail',
    { options: '-# -n:text -c:text -q -v -z -f -F --lines=text --bytes=text --quiet --silent --verbose --follow?text' },
  ],
  // Not `--files0-from` of these two, not even by a glob: what is in the list is printed where it names no file, and the list
  // may be a link that leads out of the project.
  ['wc', { options: '-c -m -l -w -L --bytes --chars --lines --words --max-line-length' }],
  [
    'du',
    {
      options: `-a -b -c -d:text -h -k -m -s -S -x -0 -t:text --all --apparent-size --bytes --total --max-depth=text
        --human-readable --summarize --separate-dirs --one-file-system --exclude=text --time?text --si --threshold=text`,
    },
  ],
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  [
    'rg',
    {
      // Not `--pre` and `-z`, which run programs, nor `-L`, which follows links, nor `-f` and `--ignore-file`.
      options: `-c -i -v -n -N -l -w -x -o -q -s -S -F -P -U -a -u -H -I -p -. -0 -A:text -B:text -C:text -m:text -e:text -g:text
        -t:text -T:text -d:text -j:text -M:text -r:text --count --count-matches --ignore-case --invert-match --line-number
        --no-line-number --files-with-matches --files-without-match --files --word-regexp --line-regexp --only-matching
        --quiet --case-sensitive --smart-case --fixed-strings --pcre2 --multiline --multiline-dotall --text
        --unrestricted --with-filename --no-filename --pretty --hidden --no-ignore --no-ignore-vcs --no-heading --heading
        --null --after-context=text --before-context=text --context=text --max-count=text --regexp=text --glob=text
        --iglob=text --type=text --type-not=text --type-list --max-depth=text --color=text --colors=text --sort=text
        --sortr=text --json --stats --vimgrep --column --trim --replace=text --max-columns=text --threads=text
        --max-filesize=text --no-messages --no-config --passthru`,
      words: 'text-first',
      instead: ['-e', '--regexp', '--files', '--type-list'],
    },
  ],
  [
    'find',
    {
      // Not `-L` and `-H`, which follow links; nothing that runs, deletes or writes.
      oneDash: true,
      options: `-P -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -regex:text -iregex:text
        -regextype:text -type:text -xtype:text -size:text -mtime:text -mmin:text -atime:text -amin:text -ctime:text
        -cmin:text -newer:file -newermt:text -samefile:file -maxdepth:text -mindepth:text -user:text -group:text -uid:text
        -gid:text -perm:text -links:text -inum:text -lname:text -printf:text -empty -executable -readable -writable -not
        -a -o -and -or -prune -print -print0 -ls -depth -xdev -mount -daystart -quit -true -false -nouser -nogroup
        -noleaf -ignore_readdir_race`,
    },
  ],
  ['stat', { options: '-f -t -L -c:text --format=text --printf=text --file-system --terse --dereference' }],
  [
    'file',
    { options: '-b -i -h -L -k -r -0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference' },
  ],
  [
    'df',
    { options: '-a -h -H -i -k -l -P -T -t:text -x:text --human-readable --inodes --total --type=text --output?text' },
  ],
  [
    'date',
    {
      options:
        '-u -R -I?text -d:text --utc --date=text --iso-8601?text --rfc-3339=text --rfc-email -r:file --reference=file',
      words: 'text',
      refuses: (words) => words.length > 1 || words.some((word) => !word.startsWith('+')),
    },
  ],
  [
    'sort',
    {
      options: `-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -k:text -t:text -S:text --ignore-leading-blanks --dictionary-order
        --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --reverse --version-sort
        --random-sort --stable --unique --zero-terminated --check?text --key=text --field-separator=text --parallel=text`,
    },
  ],
  [
    'uniq',
    {
      options: `-c -d -D -i -u -z -f:text -s:text -w:text --count --repeated --ignore-case --unique --skip-fields=text
        --skip-chars=text --check-chars=text`,
      // The second file is written, and to some systems it may look like an option.
      refuses: (words, _given, all) => words.length > 1 || hasLateOption(words, all),
    },
  ],
  [
    'cut',
    {
      options: `-b:text -c:text -d:text -f:text -s -z --bytes=text --characters=text --delimiter=text --fields=text
        --complement --only-delimited --output-delimiter=text`,
    },
  ],
  [
    'diff',
    {
      // Not `-l`, which runs another program, and not `-r`. Of two folders it also compares the files in them, and follows
      // links that lead out of the project.
      options: `-# -q -s -c -u -U:text -C:text -e -n -y -W:text -p -t -T -i -E -Z -b -w -B -a -d -N --brief
        --report-identical-files --unified?text --context?text --side-by-side --width=text --suppress-common-lines
        --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --minimal --new-file
        --color?text --label=text --strip-trailing-cr --no-dereference --left-column`,
      refuses: (_, given) => !given.has('--no-dereference'),
    },
  ],
  [
    'cmp',
    { options: '-b -l -s -n:text -i:text --print-bytes --verbose --quiet --silent --bytes=text --ignore-initial=text' },
  ],
  ['comm', { options: '-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter=text --zero-terminated' }],
  // Not `-c`: it reads whatever files a list names.
  ['md5sum', SUMS],
  ['sha1sum', SUMS],
  ['sha256sum', SUMS],
  ['sha512sum', SUMS],
  ['cksum', SUMS],
  [
    'jq',
    {
      options: `-r -c -S -e -n -s -R -a -j -M -C --raw-output --compact-output --sort-keys --exit-status --null-input --slurp
        --raw-input --ascii-output --join-output --monochrome-output --color-output --tab`,
      words: 'text-first',
      // The environment holds secrets, and modules are files. Blanks and comments may stand behind `$`.
      refuses: ([filter = '']) => /\b(env|ENV|__\w+|import|include|modulemeta|get_search_list)\b/.test(filter),
    },
  ],
  [
    'tree',
    {
      // Not `-o` and `-R`, which write, nor `-l`, which follows links.
      options: `-a -d -f -i -s -h -D -p -u -g -F -q -N -r -t -v -c -C -n -J -X -x -A -S -L:text -P:text -I:text --du --dirsfirst
        --filesfirst --noreport --gitignore --prune --filelimit=text --matchdirs --ignore-case --inodes --device`,
      // It takes their value from the next word, and letters behind them for options: `-Io a b` writes to b.
      refuses: (_words, _given, all) => all.some((text) => /^-[^-]*([PI].|L\d*\D)/.test(text)),
    },
  ],
  // `whatItRuns` lets nothing through but the printing of lines.
  ['sed', { options: '-n', words: 'text-first' }],
])

/**
 * Which words of a call name files, if the call is known to only read and print; what is not known in it otherwise.
 * Undefined if nothing is known of the program.
 */
export function readingWords(words: readonly Word[]): (ReaderWords & { readonly anyGlob: boolean }) | undefined {
  const [first, ...args] = words
  if (!first || !('text' in first)) return undefined
  const name = programOf(words)
  if (name === 'git') return gitWords(args)
  const reader = READING.get(name) ?? TEXT_READERS.get(name) ?? TELLING.get(name) ?? READING_FORMS.get(name)
  return reader && { ...readerWords(reader, args), anyGlob: reader.anyOption === true || reader.anyGlob === true }
}

function gitWords(args: readonly Word[]): ReaderWords & { readonly anyGlob: boolean } {
  // The one option before a subcommand that changes nothing of what it reads and runs.
  const skipped = args[0] && writtenWord(args[0]) === '--no-pager' ? 1 : 0
  const subcommand = args[skipped]
  const name = subcommand && 'text' in subcommand ? subcommand.text : ''
  const reader = READING_GIT.get(name) ?? READING_GIT_FORMS.get(name)
  if (!reader) return { notKnown: subcommand ? writtenWord(subcommand) : '', anyGlob: false }
  const read = readerWords(reader, args.slice(skipped + 1))
  if ('notKnown' in read) return { notKnown: read.notKnown, anyGlob: false }
  return { files: new Set([...read.files].map((at) => at + skipped + 1)), anyGlob: false }
}
