import { report } from '@holdpoint/testing/long'
import { describe, expect, it } from 'vitest'
import { judged, policyRule } from './fixtures/judged.ts'
import { STARTER_RULES } from './starter-rules.ts'

/** What people might add to the starter set: wide where the program lets them. */
const MORE = [
  'Bash(mkdir *)',
  'Bash(touch *)',
  'Bash(npm test)',
  'Bash(make)',
  'Bash(mytool *)',
  'Edit(src/**)',
  'Bash(true)',
]
const ALLOWING = [
  ...STARTER_RULES.filter(({ effect }) => effect === 'allow').map((rule) => policyRule('allow', rule.pattern)),
  ...MORE.map((pattern) => policyRule('allow', pattern)),
]

function isAllowed(command: string): boolean {
  return judged(ALLOWING, command).effect === 'allow'
}

/** Commands of the rules' own tests. */
const OWN = STARTER_RULES.filter(({ effect, pattern }) => effect === 'allow' && pattern.startsWith('Bash')).flatMap(
  ({ match }) => match,
)

/** 200 commands that the rules allow: every fourth of their own tests, and others with other words behind them. */
function baseCommands(): string[] {
  const own = OWN.filter((_, at) => at % 4 === 0)
  const files = ['a', 'src', "'a b'", 'src/a.ts', '"x y"', 'b.txt', 'src/lib', 'docs/x.md', 'c', 'd/e/f']
  const programs = [
    'ls -l',
    'cat',
    'head -n 3',
    'tail -5',
    'wc -l',
    'grep -n x',
    'stat',
    'du -sh',
    'nl',
    'git log --',
    'git diff --',
    'touch',
    'mkdir -p',
  ]
  const more = programs.flatMap((program) => files.map((file) => `${program} ${file}`))
  return [...own, 'npm test', 'make', 'true', ...more].slice(0, 200)
}

const BASE = baseCommands()

function expectNone(commands: readonly string[], id: string) {
  report(`${id}: ${commands.length} commands`)
  expect(commands.filter(isAllowed).slice(0, 10)).toEqual([])
}

it('has 200 commands to begin with, and allows all of them', () => {
  expect(BASE.length).toBe(200)
  expect(BASE.filter((command) => !isAllowed(command))).toEqual([])
})

describe('T14 a second command', () => {
  const suffixes = (x: string) => [
    ` && ${x}`,
    `&&${x}`,
    ` || ${x}`,
    `; ${x}`,
    `;${x}`,
    ` | ${x}`,
    `|${x}`,
    ` |& ${x}`,
    `\n${x}`,
    `\n\n ${x}`,
    ` & ${x}`,
    `&${x}`,
    ` $(${x})`,
    ` "$(${x})"`,
    ` \`${x}\``,
    ` <(${x})`,
    ` >(${x})`,
    ` > ${x}`,
    ` >> ${x}`,
    ` 2> ${x}`,
    ` &> ${x}`,
    ` >| ${x}`,
    ` <> ${x}`,
    ` < /etc/${x}`,
    ` <<< "$(${x})"`,
    ` << E\n$(${x})\nE`,
    ` \${a:=$(${x})}`,
    ` $((a[$(${x})]))`,
    ` ; (${x})`,
    ` ; { ${x}; }`,
    ` && ! ${x}`,
    ` && true && ${x}`,
    ` && if true; then ${x}; fi`,
    `; f() { ${x}; }; f`,
    `\r\n${x}`,
  ]

  it('T14 is never allowed by the first, whatever joins them', () => {
    expectNone(
      BASE.flatMap((command) => suffixes('evil x').map((suffix) => `${command}${suffix}`)),
      'T14',
    )
  })

  it('T14 is allowed only where it is allowed itself', () => {
    for (const join of [' && ', ' || ', '; ', '\n']) {
      expect(isAllowed(`true${join}ls src`)).toBe(true)
      expect(isAllowed(`true${join}ls /etc`)).toBe(false)
    }
  })

  it('T14 before the first does not get past a rule either', () => {
    const prefixes = [
      'evil && ',
      'evil | ',
      'evil; ',
      'evil\n',
      'evil & ',
      '(evil); ',
      '$(evil) ',
      '> x; ',
      'f() { evil; }; ',
      '! evil; ',
      'evil || ',
    ]
    expectNone(
      BASE.flatMap((command) => prefixes.map((prefix) => `${prefix}${command}`)),
      'T14',
    )
  })
})

describe('T15 characters that people do not see', () => {
  it('T15 are never allowed, wherever they stand', () => {
    const unseen = [
      '\0',
      '\r',
      '\t',
      '\v',
      '\f',
      '\b',
      '\x1b',
      '\x7f',
      '\u0085',
      '\u00a0',
      '\u00ad',
      '\u1680',
      '\u2003',
      '\u200b',
      '\u200d',
      '\u2028',
      '\u2029',
      '\u202e',
      '\u2066',
      '\u3000',
      '\ufeff',
      '\ud800',
      '\u{e0001}',
    ]
    const commands = ['git status', 'ls -la src', "cat 'a b'", 'grep -n "x y" src | head -5', 'ls && cat a']
    expectNone(
      commands.flatMap((command) =>
        unseen.flatMap((character) =>
          Array.from({ length: command.length + 1 }, (_, at) => command.slice(0, at) + character + command.slice(at)),
        ),
      ),
      'T15',
    )
  })

  it('T15 a line break makes another command, which has to be allowed itself', () => {
    const command = 'cat aaaa bbbb'
    const broken = Array.from(
      { length: command.length + 1 },
      (_, at) => `${command.slice(0, at)}\n${command.slice(at)}`,
    )
    expect(broken.filter(isAllowed)).toEqual(
      [`\n${command}`, 'cat\n aaaa bbbb', 'cat \naaaa bbbb', `${command}\n`].filter(isAllowed),
    )
    expectNone(['git status\nevil', 'git\nstatus', 'cat "a\nb"', "cat 'a\nb'", 'cat a \\\n b'], 'T15')
  })
})

describe('T16 variables and commands of the shell', () => {
  const variables =
    'PAGER GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EDITOR EDITOR VISUAL LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PROMPT_COMMAND PS4 IFS PATH CDPATH HOME SHELL SHELLOPTS BASHOPTS GIT_DIR GIT_WORK_TREE GIT_EXEC_PATH GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS LESSOPEN LESSCLOSE MANPAGER BROWSER RIPGREP_CONFIG_PATH GREP_OPTIONS TMPDIR TZ LANG LC_ALL FOO a _'.split(
      ' ',
    )
  const builtins = [
    'export A=b;',
    'export A;',
    'declare A=b;',
    'typeset -x A=b;',
    'readonly A=b;',
    'local A=b;',
    'alias ls=evil;',
    'eval',
    'exec',
    'builtin',
    'command',
    'source x;',
    '. x;',
    'trap evil EXIT;',
    'set -x;',
    'shopt -s extglob;',
    'enable -f x y;',
    'hash -p x ls;',
    'unset PATH;',
    'read x;',
    'mapfile a;',
    'let a=1;',
    'test -v a &&',
    '[ -v a ] &&',
    'umask 0;',
    'ulimit -n 1;',
    'time',
    'coproc',
    'noglob',
    'nocorrect',
    'repeat 3',
    'bind x;',
    'complete -C x y;',
    'printf -v PATH x;',
    'getopts a b;',
    'cd -;',
    'pushd x;',
  ]

  it('T16 before a command are never allowed', () => {
    expect(variables.length + builtins.length).toBeGreaterThanOrEqual(60)
    const commands = BASE.slice(0, 60)
    expectNone(
      commands.flatMap((command) => [
        ...variables.flatMap((name) => [`${name}=x ${command}`, `${name}=x; ${command}`, `${name}+=x ${command}`]),
        ...builtins.map((builtin) => `${builtin} ${command}`),
        `A[0]=x ${command}`,
        `A=(x) ${command}`,
        `A=x B=y ${command}`,
      ]),
      'T16',
    )
  })
})

describe('T17 programs that run others', () => {
  const wrappers = [
    'env',
    'env -i',
    'env A=b',
    'env -S',
    'xargs',
    'xargs -I{}',
    'find . -exec',
    'find . -execdir',
    'find . -ok',
    'sudo',
    'sudo -u x',
    'doas',
    'su -c',
    'timeout 5',
    'nohup',
    'setsid',
    'nice',
    'nice -n 5',
    'ionice -c 3',
    'stdbuf -o0',
    'chroot /x',
    'unshare',
    'nsenter',
    'strace',
    'gdb --args',
    'script -c',
    'expect -c',
    'tmux new',
    'screen -dm',
    'at now',
    'batch',
    'systemd-run',
    'docker run x',
    'podman run x',
    'kubectl exec x --',
    'ssh host',
    'watch',
    'parallel',
    'flock x',
    'entr',
    'busybox',
    'sh -c',
    'bash -c',
    'bash -lc',
    'zsh -c',
    'npx',
    'npm exec',
    'npm run',
    'make -f',
    'python3 -c',
    'node -e',
    'perl -e',
    'ruby -e',
    'awk',
    'git -c alias.x=!y x',
    'git submodule foreach',
    'git bisect run',
    'git rebase -x',
    'exec',
    'eval',
    'command',
    'builtin',
    'time',
  ]

  it('T17 are allowed neither by a rule for what they run, nor by one with a wildcard for themselves', () => {
    expect(wrappers.length).toBeGreaterThanOrEqual(40)
    const wide = [
      ...ALLOWING,
      ...wrappers.flatMap((wrapper) => [policyRule('allow', `Bash(${wrapper.split(' ')[0]} *)`)]),
    ]
    const commands = BASE.slice(0, 60).flatMap((command) =>
      wrappers.flatMap((wrapper) => [
        `${wrapper} ${command}`,
        `${wrapper} '${command.replaceAll("'", '"')}'`,
        `${wrapper} -- ${command}`,
      ]),
    )
    report(`T17: ${commands.length} commands`)
    // Looking for a program, and listing with find, run nothing.
    expect(commands.filter((command) => judged(wide, command).effect === 'allow')).toEqual([])
  })

  it('T17 what can be read inside makes a verdict stricter', () => {
    const rules = [
      policyRule('deny', 'Bash(evil *)'),
      ...wrappers.map((wrapper) => policyRule('allow', `Bash(${wrapper.split(' ')[0]} x)`)),
    ]
    const missed = wrappers.filter((wrapper) => judged(rules, `${wrapper} evil y`).effect !== 'deny')
    expect(missed).toEqual([])
  })
})

describe('T18 other spellings', () => {
  const rewriters: readonly ((command: string) => string)[] = [
    (command) => `\\${command}`,
    (command) => command.replace(/^\w/, (letter) => `'${letter}'`),
    (command) => command.replace(/^\w/, (letter) => `"${letter}"`),
    (command) => command.replace(/^\w+/, (name) => [...name].map((letter) => `\\${letter}`).join('')),
    (command) => command.replace(/^\w/, (letter) => `${letter}''`),
    (command) => command.replace(/^\w/, (letter) => `${letter}""`),
    (command) => command.replace(/^\w+/, (name) => `$'${name}'`),
    (command) => command.replace(/^\w+/, (name) => `$"${name}"`),
    (command) => command.replace(/^\w/, '?'),
    (command) => command.replace(/^\w/, (letter) => `[${letter}]`),
    (command) => command.replace(/^\w/, '*'),
    (command) => command.replace(/^\w+/, (name) => `{${name},}`),
    (command) => command.replace(/^\w+/, (name) => `./${name}`),
    (command) => command.replace(/^\w+/, (name) => `bin/${name}`),
    (command) => command.replace(/^\w+/, (name) => `../${name}`),
    (command) => command.replace(/^\w+/, (name) => `/tmp/${name}`),
    (command) => command.replace(/^\w+/, (name) => `/usr/bin/${name}`),
    (command) => command.replace(/^\w+/, (name) => `~/${name}`),
    (command) => command.replace(/^\w+/, (name) => `=${name}`),
    (command) => command.replace(/^\w+/, (name) => name.toUpperCase()),
    (command) => command.replace(/^\w+/, (name) => `$(echo ${name})`),
    (command) => command.replace(/^\w+/, (name) => `\${x:-${name}}`),
    (command) => command.replace(/^(\w+) ?/, '$1$IFS'),
    (command) => command.replace(/^(\w)(\w*)/, '$1\\\n$2'),
    (command) => command.replace(/^\w+/, (name) => `${name}\u200b`),
    (command) => `{ ${command}; }`,
    (command) => `(${command})`,
    (command) => `${command} \\`,
    (command) => `${command} #`,
    (command) => `${command} ~`,
    (command) => `${command} {a,b}`,
    (command) => `${command} $x`,
    (command) => `${command} !$`,
    (command) => `!${command}`,
    (command) => command.replace(/^\w+/, '$& --exec=evil --output=/etc/x -o/etc/x ../../x'),
  ]

  it('T18 are not allowed', () => {
    expect(rewriters.length).toBeGreaterThanOrEqual(25)
    // What prints its own words has no options that matter.
    const commands = BASE.filter((command) => !/^(echo|basename|dirname|tr|which|type|true)\b/.test(command))
    expectNone(
      commands.flatMap((command) =>
        rewriters.map((rewritten) => rewritten(command)).filter((other) => other !== command),
      ),
      'T18',
    )
  })

  it('T18 of git are not allowed either', () => {
    const before = [
      '-C x',
      '-C/x',
      '-c a=b',
      '--git-dir=x',
      '--git-dir x',
      '--work-tree=x',
      '--exec-path=x',
      '--config-env=a=b',
      '--namespace=x',
      '--bare',
      '-p',
      '--paginate',
      '--super-prefix=x',
      '--attr-source=x',
    ]
    const behind = [
      '--output=x',
      '--outpu=x',
      '--ext-diff',
      '--ext',
      '--textconv',
      '-Ox',
      '-O x',
      '--no-index a b',
      '--open-files-in-pager=x',
      '--exec=x',
      '--upload-pack=x',
      '--receive-pack=x',
      '/etc/passwd',
      '../x',
      "'~/x'",
      ':/x',
    ]
    const own = OWN.filter((command) => command.startsWith('git '))
    expect(own.length).toBeGreaterThan(50)
    expectNone(
      own.flatMap((command) => [
        ...before.map((option) => command.replace('git', `git ${option}`)),
        ...behind.map((option) => command.replace(/^git (stash list|\S+)/, `$& ${option}`)),
      ]),
      'T18',
    )
    expectNone(
      ['git foo', 'git Status', 'git stat', 'git st', 'git', 'git help', 'git grep -O x', 'git config alias.x y'],
      'T18',
    )
  })
})
