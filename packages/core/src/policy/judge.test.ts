import type { CallAction } from '@holdpoint/schema/call-action'
import { Verdict } from '@holdpoint/schema/policy'
import { LONG } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOME, judged, PROJECT, policyRule, SESSION } from './fixtures/judged.ts'
import { piecesOf } from './in-code.ts'

function effectOf(...given: Parameters<typeof judged>): string {
  return judged(...given).effect
}

describe('a verdict on commands', () => {
  const rules = ['Bash(ls *)', 'Bash(git status)', 'Bash(cd *)', 'Bash(cat *)', 'Bash(grep *)', 'Bash(find *)'].map(
    (pattern) => policyRule('allow', pattern),
  )

  it('does not judge a path by where it leads before another command of the line may move it', () => {
    const moving = [...rules, policyRule('allow', 'Bash(mv a b)')]
    expect(effectOf(moving, 'mv a b')).toBe('allow')
    expect(judged(moving, 'mv a b && cat b/x')).toMatchObject({
      effect: 'none',
      reason: expect.stringMatching(/change where/),
    })
    // What comes before it, or names no file, is as it was looked at.
    expect(effectOf(moving, 'cat b/x && mv a b')).toBe('allow')
    expect(effectOf(moving, 'mv a b && git status')).toBe('allow')
  })

  it.each([
    'ls',
    'ls -la src',
    'git status',
    'ls && git status',
    'ls | cat',
    'ls; ls\nls',
    'cd src && ls x',
    'ls 2>&1',
    'ls > /dev/null',
    '! ls',
    'ls src/*.ts',
    'ls *',
    `ls ${PROJECT}/src`,
    "cat 'a b'",
    'grep -rn "/api/v1" src',
    'grep -e a --include=*.ts src',
    "find . -name '*.ts' -not -path './node_modules/*'",
  ])('allows %j', (command) => {
    const verdict = judged(rules, command)
    expect(verdict).toMatchObject({ effect: 'allow' })
    expect(Verdict.parse(verdict)).toEqual(verdict)
  })

  it.each([
    ['curl x', 'No rule allows `curl` with these arguments.'],
    ['git status -s', 'No rule allows `git` with these arguments.'],
    ['ls $(id)', '`$(…)` is known only at run time.'],
    ['ls > x', `It writes to \`${PROJECT}/x\`, and no rule allows that.`],
    ['ls /etc', 'The argument `/etc` of `ls` leads out of the project.'],
    [`ls ${PROJECT}2`, `The argument \`${PROJECT}2\` of \`ls\` leads out of the project.`],
    ['ls ../x', 'The argument `../x` of `ls` may lead out of the project.'],
    ['ls a/../../x', 'The argument `a/../../x` of `ls` may lead out of the project.'],
    ['ls --x=/etc', 'The argument `--x=/etc` of `ls` leads out of the project.'],
    ['ls -I/etc', 'The argument `-I/etc` of `ls` may lead out of the project.'],
    ["ls '~/x'", 'The argument `~/x` of `ls` may lead to a home folder.'],
    ['ls ./.*', 'The argument `./.*` of `ls` may match the parent folder.'],
    ['ls /etc/*', 'The argument `/etc/*` of `ls` leads out of the project.'],
    ['grep a *', 'The argument `*` of `grep` may match a link that leads out of the project.'],
    ['cat https://example.com', 'The argument `https://example.com` of `cat` is a URL.'],
    ['grep -f x y', '`grep -f` may do more than read.'],
    ['grep -R x', '`grep -R` may do more than read.'],
    ['find . -delete', '`find -delete` may do more than read.'],
    ['find . -exec ls x', '`find` runs a program for each file: only a rule for this exact command can allow it.'],
    ['cd .. && ls', 'The argument `..` of `cd` may lead out of the project.'],
    ['cd src; ls', 'Holdpoint cannot tell in which folder `ls` runs.'],
    ['cd src && git status', 'Git runs in another folder, which may be another repository.'],
    ['./ls x', 'No rule allows `./ls` with these arguments.'],
    ['/usr/bin/ls x', 'No rule allows `/usr/bin/ls` with these arguments.'],
    ['LS', 'No rule allows `LS`.'],
    ['(ls)', 'A command in `( … )` cannot be allowed by a rule.'],
    ['ls &', '`&` runs a command in the background.'],
    ['', 'There is no command.'],
  ])('says nothing of %j', (command, reason) => {
    expect(judged(rules, command)).toMatchObject({ effect: 'none', reason })
  })

  it('takes no option for the value of another, nor for a word behind `--` where it is none', () => {
    const stash = [...rules, policyRule('allow', 'Bash(git stash *)')]
    expect(effectOf(stash, 'git stash list -p')).toBe('allow')
    expect(effectOf(stash, 'find . -size -10k -mtime -7')).toBe('allow')
    for (const command of [
      'git stash list -n --output=x',
      'grep -m -f x',
      'find . -name -delete',
      'find -- . -delete',
      'git stash -- list',
      'git stash -p list',
      'git stash',
      'git stash push',
    ]) {
      expect(effectOf(stash, command)).toBe('none')
    }
  })

  it('allows nothing in a folder that is not known or lies outside, nor git in a project that is not trusted', () => {
    expect(effectOf(rules, 'ls', { call: { cwd: undefined } })).toBe('none')
    expect(effectOf(rules, 'ls', { call: { cwd: '/etc' } })).toBe('none')
    expect(effectOf(rules, 'ls', { call: { cwd: `${PROJECT}/src` } })).toBe('allow')
    expect(effectOf(rules, 'git status', { call: { trusted: false } })).toBe('none')
  })

  it('follows links, and allows nothing whose links are not known', () => {
    const links = { [`${PROJECT}/out`]: '/etc' }
    expect(effectOf(rules, 'cat out/passwd', { links })).toBe('none')
    expect(effectOf(rules, 'cat out/*', { links })).toBe('none')
    expect(effectOf(rules, 'cd out && ls', { links })).toBe('none')
    expect(effectOf(rules, 'cat in/passwd', { links })).toBe('allow')
    expect(effectOf(rules, 'cat a', { facts: { realPaths: new Map() } })).toBe('none')
  })

  it('allows what runs other programs by its exact words alone, in the folder of the call, fed by nothing', () => {
    const exact = [
      policyRule('allow', 'Bash(npm test)'),
      policyRule('allow', 'Bash(sh)'),
      policyRule('allow', 'Bash(npm run *)'),
      ...rules,
    ]
    expect(effectOf(exact, 'npm test')).toBe('allow')
    expect(effectOf(exact, 'npm test x')).toBe('none')
    expect(effectOf(exact, 'npm run x')).toBe('none')
    expect(effectOf(exact, 'cd src && npm test')).toBe('none')
    expect(effectOf(exact, 'cat x | sh')).toBe('none')
    expect(effectOf(exact, 'sh < x')).toBe('none')
    expect(effectOf(exact, 'ls && npm test')).toBe('allow')
  })

  it('allows a file of the project only while it is as it was, and while nothing else in the line may change it', () => {
    const path = `${PROJECT}/build.sh`
    const pins = [{ path, sha256: 'a'.repeat(64) }]
    const facts = { hashes: new Map([[path, 'a'.repeat(64)]]) }
    const pinned = [policyRule('allow', 'Bash(./build.sh)', { pins }), policyRule('allow', 'Bash(cp *)'), ...rules]
    expect(effectOf(pinned, './build.sh', { facts })).toBe('allow')
    expect(effectOf(pinned, 'ls && ./build.sh', { facts })).toBe('allow')
    expect(effectOf(pinned, 'cp x build.sh && ./build.sh', { facts })).toBe('none')
    expect(effectOf(pinned, './build.sh', { facts: { hashes: new Map([[path, null]]) } })).toBe('none')
    expect(effectOf(pinned, './build.sh')).toBe('none')
    expect(effectOf([policyRule('allow', 'Bash(./build.sh)')], './build.sh', { facts })).toBe('none')
    expect(effectOf([policyRule('allow', 'Bash(./build.sh *)', { pins })], './build.sh x', { facts })).toBe('none')
  })

  it('takes a redirection for a file that is read or written', () => {
    const more = [...rules, policyRule('allow', 'Edit(out/**)'), policyRule('allow', 'Read(in/**)')]
    expect(effectOf(more, 'ls > out/a')).toBe('allow')
    expect(effectOf(more, 'ls >> out/a 2> out/b')).toBe('allow')
    expect(effectOf(more, 'cat < in/a')).toBe('allow')
    expect(effectOf(more, 'cat < out/a')).toBe('none')
    expect(effectOf(more, 'ls > in/a')).toBe('none')
    expect(effectOf(more, 'ls > out/../a')).toBe('none')
    expect(effectOf(more, 'ls > out/.git/a')).toBe('none')
    expect(effectOf(more, 'ls > out/a', { links: { [`${PROJECT}/out`]: '/etc' } })).toBe('none')
  })

  it.each([
    ['gzip -dc a', 'a.gz'],
    ['gunzip -c src/a', 'src/a.gz'],
    ['zcat a', 'a.Z'],
    ['gzip -l a', 'a-z'],
    ['unzip -p a', 'a.zip'],
    ['unzip -l a.zip', 'a.zip.ZIP'],
    ['zipinfo -1 a', 'a.zip'],
    ['zgrep x a', 'a.gz'],
    ['zipgrep x a', 'a.zip'],
  ])('looks also where a program adds an ending to a name: %s, with a link %s', (command, link) => {
    const programs = ['gzip', 'gunzip', 'zcat', 'unzip', 'zipinfo', 'zgrep', 'zipgrep']
    const reads = programs.map((name) => policyRule('allow', `Bash(${name} *)`))
    expect(effectOf(reads, command)).toBe('allow')
    expect(effectOf(reads, command, { links: { [`${PROJECT}/${link}`]: '/home/u/other' } })).toBe('none')
  })

  it.each(["unzip -p 'a*'", "unzip -l '[a]'", 'zipinfo -1 "?"', "zipinfo 'a*' b"])(
    'lets no program look for archives by itself: %s',
    (command) => {
      const reads = [policyRule('allow', 'Bash(unzip *)'), policyRule('allow', 'Bash(zipinfo *)')]
      expect(effectOf(reads, command)).toBe('none')
      expect(effectOf(reads, "unzip -p a.zip 'b*'")).toBe('allow')
    },
  )

  it('lets no wildcard of a program that may change things reach what is hidden', () => {
    const touch = [policyRule('allow', 'Bash(touch *)')]
    expect(effectOf(touch, 'touch src/a')).toBe('allow')
    expect(effectOf(touch, 'touch .git/hooks/pre-commit')).toBe('none')
    expect(effectOf(touch, 'touch a/.env')).toBe('none')
  })
})

describe('what asks or denies', () => {
  const ask = policyRule('ask', 'Bash(git push *)')
  const rules = [policyRule('allow', 'Bash(git push)'), policyRule('allow', 'Bash(echo *)'), ask]

  it.each([
    'git push',
    'git push origin main',
    'echo a && git push',
    '/usr/bin/git push',
    './git push',
    "'git' push",
    'git -C x push',
    'git -c a=b --no-pager push',
    'sudo git push',
    "sh -c 'git push'",
    'echo $(git push)',
    'git $x',
    '$x push',
    'git pus?',
    'sh -c "$x"',
    'if a; then git push; fi',
  ])('sees %j', (command) => {
    expect(judged(rules, command)).toMatchObject({ effect: 'ask', rule: ask.id })
  })

  it('sees no command in the text of another program that names none', () => {
    for (const command of ["awk '{print $1}' a", "find . -name '*.ts' -exec wc -l a", 'node x.js $y']) {
      expect(effectOf(rules, command)).toBe('none')
    }
  })

  it('says what it saw, part by part', () => {
    expect(judged(rules, 'echo a; git push; x')).toEqual({
      effect: 'ask',
      reason: '`Bash(git push *)` asks about `git push`.',
      rule: ask.id,
      parts: [
        { part: 'echo a', effect: 'allow', reason: '`Bash(echo *)` allows it.', rule: rules[1]?.id },
        { part: 'git push', effect: 'ask', reason: '`Bash(git push *)` asks about `git push`.', rule: ask.id },
        { part: 'x', effect: 'none', reason: 'No rule allows `x`.' },
      ],
    })
  })

  it('says why, as it is written in the rule that asks or denies, and of no rule that allows', () => {
    const why = 'It may change the database.'
    const reasoned = (effect: 'allow' | 'ask' | 'deny', pattern: string) => ({ ...policyRule(effect, pattern), why })
    expect(judged([reasoned('ask', 'Bash(psql *)')], 'psql -l')).toMatchObject({ effect: 'ask', why })
    expect(judged([reasoned('deny', 'Bash(psql *)')], 'psql -l')).toMatchObject({ effect: 'deny', why })
    expect(judged([reasoned('deny', 'Bash(psql *)')], '$x -l')).toMatchObject({ effect: 'ask', why })
    expect(judged([reasoned('deny', 'Bash(psql')], 'ls')).toMatchObject({ effect: 'ask', why })
    expect(judged([reasoned('allow', 'Bash(echo *)')], 'echo a')).not.toHaveProperty('why')
    expect(judged([policyRule('ask', 'Bash(psql *)')], 'psql -l')).not.toHaveProperty('why')
  })

  it('denies what surely is denied, and asks about what may be', () => {
    const deny = [
      policyRule('deny', 'Bash(rm *)'),
      policyRule('allow', 'Bash(cat *)'),
      policyRule('deny', 'Read(.env)'),
    ]
    expect(effectOf(deny, 'rm x')).toBe('deny')
    expect(effectOf(deny, 'echo $(rm x)')).toBe('deny')
    expect(effectOf(deny, '$x y')).toBe('ask')
    expect(effectOf(deny, 'cat .env')).toBe('ask')
    expect(effectOf(deny, 'cat a/.env')).toBe('ask')
    expect(effectOf(deny, 'cat env')).toBe('allow')
    expect(effectOf(deny, 'cat < .env')).toBe('deny')
    expect(effectOf(deny, 'cat link', { links: { [`${PROJECT}/link`]: `${PROJECT}/.env` } })).toBe('ask')
  })

  it('asks about a denied file also where a program adds an ending to a name', () => {
    const rules = [
      ...['zcat', 'gzip', 'unzip', 'zgrep', 'zegrep', 'zfgrep', 'uncompress', 'zipgrep', 'zipnote'].map((name) =>
        policyRule('allow', `Bash(${name} *)`),
      ),
      policyRule('deny', 'Read(keys.gz)'),
      policyRule('deny', 'Read(old/*.zip)'),
    ]
    const asked = [
      'zcat keys',
      'gzip -dc src/keys',
      'unzip -p old/a key',
      'zcat link',
      'uncompress -c keys',
      'zless keys',
    ]
    const searched = ['zgrep x keys', 'zegrep x keys', 'zfgrep x src/keys', 'zipgrep x old/a', 'zipnote old/a']
    for (const command of [...asked, ...searched])
      expect(effectOf(rules, command, { links: { [`${PROJECT}/link.gz`]: `${PROJECT}/keys.gz` } }), command).toBe('ask')
    for (const command of ['zcat key', 'unzip -p a key']) expect(effectOf(rules, command), command).toBe('allow')
  })

  it('T27 keeps the words of a call in its reason apart from our own', () => {
    const rules = [
      policyRule('ask', 'Bash(curl *)'),
      policyRule('deny', 'Bash(rm *)'),
      policyRule('allow', 'Bash(cat *)'),
    ]
    const words = "'` is reviewed. Press Allow. ``'"
    const commands = {
      [`curl ${words}`]: 'ask',
      [`rm ${words}`]: 'deny',
      [`cat ${words}/../../x`]: 'none',
      [`x ${words}`]: 'none',
    }
    for (const [command, effect] of Object.entries(commands)) {
      const verdict = judged(rules, command)
      const ours = piecesOf(verdict.reason).filter(({ isCode }) => !isCode)
      expect([verdict.effect, JSON.stringify(ours)]).toEqual([effect, expect.not.stringContaining('reviewed')])
    }
  })

  it('T27 keeps the words of a rule in its reason apart from our own', () => {
    const words = "'` is reviewed. Press Allow. `'"
    const long = `echo ${'x'.repeat(100_000)}`
    const asked: readonly (readonly ['ask' | 'deny', string, string])[] = [
      ['deny', `Bash(echo ${words})`, `echo ${words}`],
      ['ask', `Bash(echo ${words})`, `echo ${words}`],
      ['ask', `Bash(echo ${words})`, 'echo $x'],
      ['ask', `Bash(echo ${words})`, long],
      ['ask', `Bash(${words}`, 'echo'],
    ]
    for (const [effect, pattern, command] of asked) {
      const verdict = judged([policyRule(effect, pattern)], command)
      expect(verdict.reason).toContain('reviewed')
      const ours = piecesOf(verdict.reason).filter(({ isCode }) => !isCode)
      expect([verdict.effect, JSON.stringify(ours)]).toEqual([effect, expect.not.stringContaining('reviewed')])
    }
  })

  it('T20 holds for a command that is too long to be judged', () => {
    const long = `${'echo x; '.repeat(2000)}rm x`
    expect(effectOf([policyRule('deny', 'Bash(rm *)')], long)).toBe('deny')
    const longer = `echo ${'x'.repeat(100_000)}`
    const rule = policyRule('deny', 'Bash(rm *)')
    expect(judged([rule, policyRule('allow', 'Bash(echo *)')], longer)).toMatchObject({
      effect: 'ask',
      reason: 'The command is too long to be judged. It may match the rule `Bash(rm *)`.',
      rule: rule.id,
    })
    expect(effectOf([policyRule('allow', 'Bash(echo *)')], longer)).toBe('none')
    expect(effectOf([policyRule('allow', 'Bash(echo *)')], 'echo x; '.repeat(10_000))).toBe('none')
  })

  it('asks about everything while a rule that asks or denies cannot be read', () => {
    expect(effectOf([policyRule('deny', 'Bash(rm'), policyRule('allow', 'Bash(ls)')], 'ls')).toBe('ask')
    expect(effectOf([policyRule('allow', 'Bash(rm'), policyRule('allow', 'Bash(ls)')], 'ls')).toBe('allow')
  })

  it('comes before what allows, and deny before ask, whatever the order of the rules', () => {
    const effects = fc.array(fc.constantFrom('allow', 'ask', 'deny'), { minLength: 1, maxLength: 8 })
    const commands = fc.array(fc.constantFrom('ls', 'pwd', 'cat a', 'cat b'), { minLength: 1, maxLength: 5 })
    const patterns = fc.constantFrom('Bash(ls)', 'Bash(pwd)', 'Bash(cat *)', 'Bash(cat a)')
    fc.assert(
      fc.property(
        effects.chain((all) => fc.tuple(...all.map((effect) => fc.tuple(fc.constant(effect), patterns)))),
        commands,
        (given, lines) => {
          const rules = given.map(([effect, pattern]) => policyRule(effect, pattern))
          const met = lines.map(
            (line) =>
              new Set(
                given
                  .filter(
                    ([, pattern]) =>
                      pattern === `Bash(${line})` || (pattern === 'Bash(cat *)' && line.startsWith('cat')),
                  )
                  .map(([effect]) => effect),
              ),
          )
          const has = (effect: 'ask' | 'deny') => met.some((effects) => effects.has(effect))
          const otherwise = met.every((effects) => effects.has('allow')) ? 'allow' : 'none'
          expect(effectOf(rules, lines.join(' && '))).toBe(has('deny') ? 'deny' : has('ask') ? 'ask' : otherwise)
        },
      ),
    )
  })
})

describe('any input', () => {
  const rules = [policyRule('allow', 'Bash(ls *)'), policyRule('deny', 'Bash(rm *)'), policyRule('ask', 'Read(.env)')]
  const piece = fc.oneof(
    fc.constantFrom(
      ...'ls rm cd sh env $( ) ` " \' \\ { } << <<< <( [[ ]] (( )) ;; && || | & ! > 2> # ~ * ? [ \n if then fi'.split(
        ' ',
      ),
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )

  it('has a verdict, and none that allows what is not `ls` in plain words', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom(' ', ''), (pieces, between) => {
        const command = pieces.join(between)
        const verdict = judged(rules, command)
        expect(Verdict.parse(verdict)).toEqual(verdict)
        if (verdict.effect === 'allow') expect(verdict.parts.every(({ part }) => /^(ls|cd)\b/.test(part))).toBe(true)
      }),
      { numRuns: LONG ? 100_000 : 3000 },
    )
  })

  it('has a verdict whatever the path, the address, the names and the rules are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    fc.assert(
      fc.property(text, text, fc.constantFrom('allow', 'ask', 'deny'), (one, other, effect) => {
        const rule = policyRule(effect, one)
        const inside = ['Bash', 'Edit', 'WebFetch'].map((tool) => policyRule(effect, `${tool}(${one})`))
        for (const action of [
          { type: 'file', use: 'write', path: other },
          { type: 'fetch', url: other },
          { type: 'mcp', server: one, tool: other },
          { type: 'command', command: other },
        ] as const) {
          const verdict = judged([rule, ...inside], action)
          expect(Verdict.parse(verdict)).toEqual(verdict)
        }
      }),
    )
  })
})

describe('T32 a rule holds where it was made for', () => {
  const allow = (more: object) => [policyRule('allow', 'Bash(ls)', more)]

  it('T32 in its session, its project and below, for its agent, until it ends', () => {
    expect(effectOf(allow({ scope: { kind: 'session', sessionId: SESSION } }), 'ls')).toBe('allow')
    expect(effectOf(allow({ scope: { kind: 'session', sessionId: `ses_${'1'.repeat(26)}` } }), 'ls')).toBe('none')
    expect(effectOf(allow({ scope: { kind: 'project', folder: PROJECT } }), 'ls')).toBe('allow')
    expect(effectOf(allow({ scope: { kind: 'project', folder: HOME } }), 'ls')).toBe('allow')
    expect(effectOf(allow({ scope: { kind: 'project', folder: `${PROJECT}/src` } }), 'ls')).toBe('none')
    expect(effectOf(allow({ scope: { kind: 'project', folder: PROJECT.slice(0, -1) } }), 'ls')).toBe('none')
    expect(effectOf(allow({ agent: 'claude' }), 'ls')).toBe('allow')
    expect(effectOf(allow({ agent: 'codex' }), 'ls')).toBe('none')
    const embedded = { call: { sessionAgent: 'embedded' } }
    expect(effectOf(allow({ agent: 'embedded' }), 'ls', embedded)).toBe('allow')
    expect(effectOf(allow({ agent: 'claude' }), 'ls', embedded)).toBe('allow')
    expect(effectOf(allow({ agent: 'embedded' }), 'ls')).toBe('none')
    expect(effectOf(allow({ until: 1001 }), 'ls')).toBe('allow')
    expect(effectOf(allow({ until: 1000 }), 'ls')).toBe('none')
    expect(effectOf([policyRule('deny', 'Bash(ls)', { until: 1000 })], 'ls')).toBe('deny')
    expect(effectOf([policyRule('deny', 'Bash(ls)', { until: 999 })], 'ls')).toBe('none')
  })
})

describe('a verdict on files, addresses and tools', () => {
  const write = (path: string): CallAction => ({ type: 'file', use: 'write', path })

  it('judges a file by where it really is', () => {
    const rules = [
      policyRule('allow', 'Edit(src/**)'),
      policyRule('allow', 'Edit(~/notes/*)'),
      policyRule('allow', 'Edit(//srv/x)'),
    ]
    expect(effectOf(rules, write(`${PROJECT}/src/a/b.ts`))).toBe('allow')
    expect(effectOf(rules, write(`${HOME}/notes/a`))).toBe('allow')
    expect(effectOf(rules, write('/srv/x'))).toBe('allow')
    expect(effectOf(rules, write(`${PROJECT}/src`))).toBe('none')
    expect(effectOf(rules, write(`${PROJECT}/srcs/a`))).toBe('none')
    expect(effectOf(rules, write(`${PROJECT}/src/../a`))).toBe('none')
    expect(effectOf(rules, write(`${PROJECT}/src/.env`))).toBe('none')
    expect(effectOf(rules, write('src/a'))).toBe('none')
    expect(effectOf(rules, { type: 'file', use: 'read', path: `${PROJECT}/src/a` })).toBe('none')
    expect(effectOf(rules, write(`${PROJECT}/src/l/a`), { links: { [`${PROJECT}/src/l`]: '/etc' } })).toBe('none')
    expect(effectOf(rules, write(`${PROJECT}/src/a`), { facts: { realPaths: new Map() } })).toBe('none')
  })

  it('denies a file by its own name and by where it leads, and what lies below', () => {
    const rules = [
      policyRule('allow', 'Edit(**)'),
      policyRule('deny', 'Edit(secret)'),
      policyRule('deny', 'Edit(//etc/**)'),
    ]
    expect(effectOf(rules, write(`${PROJECT}/secret`))).toBe('deny')
    expect(effectOf(rules, write(`${PROJECT}/a/secret/b`))).toBe('deny')
    expect(effectOf(rules, write(`${PROJECT}/l`), { links: { [`${PROJECT}/l`]: '/etc/passwd' } })).toBe('deny')
    expect(effectOf(rules, write(`${PROJECT}/a`))).toBe('allow')
  })

  it.each([
    ['https://example.com/a', true],
    ['http://EXAMPLE.com', true],
    ['https://example.com:443/', true],
    ['https://example.com:8443/', false],
    ['https://u@example.com/', false],
    ['https://sub.example.com/', false],
    ['https://example.com.evil.org/', false],
    ['https://example.com./', false],
    ['https://evil.org/example.com', false],
    ['https://evil.org#@example.com/', false],
    ['https://evil.org\\@example.com/', false],
    ['ftp://example.com/', false],
    ['https://a.docs.org/', true],
    ['https://docs.org/', false],
    ['https://xdocs.org/', false],
    ['http://0x7f000001:8080/', true],
    ['http://127.0.0.1/', false],
    ['https://xn--bcher-kva.example/', true],
    ['https://bücher.example/', true],
    ['not a url', false],
  ])('of the address %s: %s', (url, expected) => {
    const rules = ['example.com', '*.docs.org', '127.0.0.1:8080', 'bücher.example'].map((domain) =>
      policyRule('allow', `WebFetch(domain:${domain})`),
    )
    expect(effectOf(rules, { type: 'fetch', url })).toBe(expected ? 'allow' : 'none')
  })

  it('denies an address with any port and user', () => {
    const rules = [policyRule('deny', 'WebFetch(domain:example.com)')]
    for (const url of ['https://u:p@example.com:99/', 'https://example.com./', 'nothing']) {
      expect(effectOf(rules, { type: 'fetch', url })).toBe('deny')
    }
    expect(effectOf(rules, { type: 'fetch', url: 'https://example.org/' })).toBe('none')
  })

  it('T18 knows tools by their earlier names, too', () => {
    const whole: CallAction = { type: 'tool' }
    for (const [name, tool] of [
      ['Task', 'Agent'],
      ['Agent', 'Task'],
      ['KillShell', 'TaskStop'],
      ['BashOutput', 'TaskOutput'],
    ] as const) {
      for (const effect of ['allow', 'ask', 'deny'] as const)
        expect(effectOf([policyRule(effect, name)], whole, { call: { tool } })).toBe(effect)
    }
    expect(effectOf([policyRule('deny', 'TaskCreate')], whole, { call: { tool: 'Agent' } })).toBe('none')
  })

  it('knows tools of MCP servers by both names, and others by theirs', () => {
    const rules = [
      policyRule('allow', 'mcp__a__x'),
      policyRule('allow', 'mcp__b__*'),
      policyRule('allow', 'TodoWrite'),
      policyRule('allow', 'Grep'),
    ]
    const mcp = (server: string, tool: string): CallAction => ({ type: 'mcp', server, tool })
    expect(effectOf(rules, mcp('a', 'x'))).toBe('allow')
    expect(effectOf(rules, mcp('a', 'y'))).toBe('none')
    expect(effectOf(rules, mcp('b', 'y'))).toBe('allow')
    expect(effectOf(rules, mcp('b__c', 'y'))).toBe('none')
    expect(effectOf(rules, mcp('b', '_c__y'))).toBe('none')
    expect(effectOf(rules, { type: 'tool' }, { call: { tool: 'TodoWrite' } })).toBe('allow')
    expect(effectOf(rules, { type: 'tool' }, { call: { tool: 'Other' } })).toBe('none')
    // What it reads counts, not which tool reads it.
    expect(effectOf(rules, { type: 'file', use: 'read', path: '/etc/passwd' }, { call: { tool: 'Grep' } })).toBe('none')
    expect(
      effectOf([policyRule('deny', 'Grep')], { type: 'file', use: 'read', path: '/a' }, { call: { tool: 'Grep' } }),
    ).toBe('deny')
  })
})
