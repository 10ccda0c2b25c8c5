import type { Reader } from './reader-options.ts'

/**
 * What `git log`, `git show` and `git diff` have in common. Not `--output`, `--ext-diff`, `--textconv`, `-O`, `--no-index`.
 * The word behind `-U` is none of its own: `git diff -U /etc/x a` prints that file.
 */
const SHOWING = `-p -u -s -z -w -b -i -m -c --cc -# -n:text -U?text -S:text -G:text -M?text -L:text --oneline --graph --all
  --decorate?text --no-decorate --stat?text --shortstat --numstat --dirstat?text --name-only --name-status --patch
  --no-patch --raw --summary --check --max-count=text --skip=text --since=text --until=text --after=text --before=text
  --author=text --committer=text --grep=text --all-match --invert-grep --format=text --pretty?text --abbrev-commit
  --abbrev?text --no-abbrev-commit --no-merges --merges --first-parent --reverse --follow --no-color --color?text
  --color-words?text --word-diff?text --date=text --cached --staged --merge-base --ignore-all-space --ignore-space-change
  --ignore-blank-lines --diff-filter=text --find-renames?text --no-renames --tags?text --branches?text --remotes?text
  --left-right --cherry-pick --cherry --topo-order --date-order --unified?text --minimal --patience --histogram
  --diff-algorithm=text --exit-code --quiet --no-ext-diff --no-textconv --full-index --binary --no-prefix
  --function-context -W --compact-summary --pickaxe-all --pickaxe-regex --no-notes --no-walk --boundary --full-history
  --simplify-merges --ancestry-path --relative-date --source`

/** What git is asked for by name. Other settings may hold passwords, or addresses with passwords in them. */
const HARMLESS_SETTING =
  /^(user\.(name|email)|init\.defaultbranch|pull\.(rebase|ff)|push\.default|core\.(autocrlf|bare|eol|filemode|hookspath|ignorecase)|branch\.[\w/.-]+\.(remote|merge))$/i

const BLAMING: Reader = {
  options: `-L:text -w -e -l -s -t -f -n -p -M?text -C?text --show-email --show-name --show-number --date=text --porcelain
    --line-porcelain --root --abbrev?text`,
}

const LISTING = ['--list', '--merged', '--no-merged', '--contains', '--no-contains', '--points-at']

function isListing(options: ReadonlySet<string>): boolean {
  return LISTING.some((name) => options.has(name))
}

/** Subcommands of git that only read. Git also runs what a repository's configuration says: for trusted projects only. */
export const READING_GIT: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'status',
    {
      options: `-s -b -z -v -u?text --short --branch --porcelain?text --untracked-files?text --ignored?text --long
        --show-stash --ahead-behind --no-ahead-behind --verbose --no-renames`,
    },
  ],
  ['log', { options: SHOWING }],
  ['diff', { options: SHOWING }],
  ['show', { options: SHOWING }],
  [
    'branch',
    {
      options: `-a -r -v --all --remotes --verbose --list --show-current --merged?text --no-merged?text --contains?text
        --no-contains?text --points-at=text --sort=text --format=text --no-color --color?text --no-column --no-abbrev`,
      // A name alone makes a branch.
      refuses: (words, options) => words.length > 0 && !isListing(options),
    },
  ],
  [
    'remote',
    {
      options: '-v --verbose --all --push',
      // `show` and others reach the other machine or change the list.
      refuses: (words) => words.length > 0 && !(words[0] === 'get-url' && words.length === 2),
    },
  ],
  [
    'rev-parse',
    {
      options: `--show-toplevel --abbrev-ref?text --short?text --verify --git-dir --absolute-git-dir --git-common-dir
        --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-prefix --show-cdup
        --symbolic-full-name --symbolic -q --quiet --branches --tags --remotes --all`,
    },
  ],
  [
    'ls-files',
    {
      options: `-c -d -m -o -s -u -z -i -t -v -x:text --cached --deleted --modified --others --exclude-standard --stage
        --unmerged --full-name --error-unmatch --ignored --exclude=text --directory --no-empty-directory --eol`,
    },
  ],
  ['blame', BLAMING],
  ['annotate', BLAMING],
  [
    'describe',
    {
      options: `--tags --always --dirty?text --broken?text --abbrev?text --long --all --exact-match --match=text
        --exclude=text --first-parent --contains --candidates=text`,
    },
  ],
  [
    'tag',
    {
      options: `-l --list -n?text --sort=text --contains?text --no-contains?text --merged?text --no-merged?text
        --points-at=text --format=text --no-column --no-color --color?text`,
      // A name alone makes a tag.
      refuses: (words, options) => words.length > 0 && !options.has('-l') && !options.has('--list'),
    },
  ],
  [
    'shortlog',
    { options: '-s -n -e -c --summary --numbered --email --all --no-merges --since=text --until=text --author=text' },
  ],
  // `expire` and `delete` are words too.
  ['reflog', { options: SHOWING, refuses: (words) => words.length > 0 && words[0] !== 'show' }],
  ['cat-file', { options: '-p -t -s -e --batch-check?text --batch-all-objects' }],
  ['whatchanged', { options: SHOWING }],
  ['diff-tree', { options: `${SHOWING} -r -t --root --no-commit-id` }],
  ['diff-index', { options: SHOWING }],
  ['diff-files', { options: SHOWING }],
  ['rev-list', { options: `${SHOWING} --count --objects --max-parents=text --min-parents=text --not --timestamp` }],
  [
    'range-diff',
    {
      options: '-s --no-patch --no-color --color?text --creation-factor=text --no-dual-color --left-only --right-only',
    },
  ],
  ['cherry', { options: '-v --abbrev?text' }],
  [
    'grep',
    {
      // Not `-O`, which runs a pager, nor `-f`, `--no-index`, `--textconv` and `--recurse-submodules`.
      options: `-a -c -E -F -G -h -H -i -I -l -L -n -o -p -P -q -v -w -W -z -# -A:text -B:text -C:text -e:text --all-match --and
        --basic-regexp --break --cached --color?text --column --count --extended-regexp --files-with-matches
        --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match
        --line-number --max-depth=text --name-only --no-color --not --null --only-matching --or --perl-regexp --quiet
        --show-function --text --untracked --word-regexp`,
    },
  ],
  [
    'ls-tree',
    {
      options: `-d -l -r -t -z --abbrev?text --format=text --full-name --full-tree --long --name-only --name-status
        --object-only`,
    },
  ],
  [
    'show-ref',
    {
      options: `-d -q -s --abbrev?text --branches --dereference --hash?text --head --heads --quiet --tags --verify`,
    },
  ],
  ['show-branch', { options: '-a -r --all --current --list --no-color --remotes' }],
  [
    'for-each-ref',
    {
      options: `--contains?text --count=text --exclude=text --format=text --merged?text --no-contains?text --no-merged?text
        --points-at=text --sort=text`,
    },
  ],
  ['merge-base', { options: '-a --all --fork-point --independent --is-ancestor --octopus' }],
  ['name-rev', { options: '--always --name-only --no-undefined --refs=text --tags' }],
  ['check-ignore', { options: '-n -q -v --non-matching --quiet --verbose' }],
  ['check-attr', { options: '-a --all --cached' }],
  ['count-objects', { options: '-v -H --human-readable --verbose', words: 'none' }],
  // Not `--lost-found`, which writes.
  [
    'fsck',
    { options: '--connectivity-only --dangling --full --no-dangling --no-full --no-progress --strict --unreachable' },
  ],
])

/** Subcommands of git that do more, and of which some calls are known to only read. */
export const READING_GIT_FORMS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // `git stash -- list` puts the file of that name away.
  ['stash', { options: SHOWING, first: ['list', 'show'] }],
  // Not `-w`, which stores it.
  ['hash-object', { options: '-t:text --no-filters' }],
  // A second name is written.
  ['symbolic-ref', { options: '-q --quiet --short', refuses: (words) => words.length !== 1 }],
  [
    'config',
    {
      options: '--get --global --local',
      // A second word is a value to set.
      refuses: (words) => words.length !== 1 || !HARMLESS_SETTING.test(words[0] ?? ''),
    },
  ],
  [
    'apply',
    {
      options: '-p:text -R -v --check --numstat --reverse --stat --summary --verbose',
      refuses: (_, given) => !['--check', '--numstat', '--stat', '--summary'].some((name) => given.has(name)),
    },
  ],
  ['format-patch', { options: '-# --stdout', refuses: (_, given) => !given.has('--stdout') }],
  ['worktree', { options: '-v -z --porcelain --verbose', first: ['list'], refuses: (words) => words.length > 1 }],
  ['notes', { first: ['list', 'show'] }],
  ['bisect', { first: ['log'], refuses: (words) => words.length > 1 }],
  ['sparse-checkout', { first: ['list'], refuses: (words) => words.length > 1 }],
])
