import { describe, expect, it } from 'vitest'
import { HOME, judged, PROJECT, policyRule } from './fixtures/judged.ts'

describe('what is guarded is asked about, whatever rules allow', () => {
  const guarded = [`${HOME}/.holdpoint`, `${HOME}/.claude/settings.json`, '/var/lib/holdpoint/hook.mjs']
  const rules = [
    'Edit(//**)',
    'Bash(cp *)',
    'Bash(ls *)',
    'Bash(cd *)',
    'Bash(cat *)',
    `Bash(rm ${HOME}/.holdpoint/policy.json)`,
  ].map((pattern) => policyRule('allow', pattern))

  it.each([
    'ls > ~/.holdpoint/policy.json',
    `ls > ${HOME}/.holdpoint/policy.json`,
    `cp x ${HOME}/.HOLDPOINT/y`,
    `rm ${HOME}/.holdpoint/policy.json`,
    'rm -rf $HOME/.holdpoint',
    `rm -rf "\${HOME}"/.holdpoint/x`,
    "rm '/home/u/.holdpoint/x'",
    'sed -i s/a/b/ ~/.claude/settings.json',
    'cd ~/.claude && rm settings.json',
    'cd ~ && rm .claude/settings.json',
    'cd; rm .holdpoint/x',
    'rm ~/.claude/set*',
    'rm -r ~/.claude/$x',
    'ln -s ../.holdpoint x',
    'cp x link/y',
    `mv ${HOME} x`,
    'tee /var/lib/holdpoint/hook.mjs',
    'cd /var/lib/holdpoint && tee hook.mjs',
    'echo x | sudo tee ~/./.holdpoint//policy.json',
    'holdpoint detach --yes',
    'npx holdpoint detach',
    "sh -c 'holdpoint attach --when-stopped ask-here --yes'",
    '/usr/local/bin/holdpoint --data x detach',
    'holdpoint $x',
    'claude mcp add x -- ./y',
    'claude plugin install x',
    'holdpoint stop --all',
    'gunzip ~/.claude/settings.json.gz',
    `xz -d ${HOME}/.claude/settings.json.xz`,
    'split -b 1 x ~/.claude/settings.js',
  ])('%j', (command) => {
    expect(
      judged(rules, command, { facts: { guarded }, links: { [`${PROJECT}/link`]: guarded[0] ?? '' } }),
    ).toMatchObject({
      effect: 'ask',
      reason: expect.stringContaining('is guarded'),
    })
  })

  it.each(['ls', 'ls .claude', 'cat .claude/settings.json', 'cp a b', 'cp holdpoint x', 'ls holdpoint detach'])(
    '%j is not',
    (command) => {
      expect(judged(rules, command, { facts: { guarded } }).effect).toBe('allow')
    },
  )

  it('by the tools for files', () => {
    const write = (path: string) =>
      judged(
        rules,
        { type: 'file', use: 'write', path },
        { facts: { guarded }, links: { [`${PROJECT}/l`]: `${HOME}/.holdpoint` } },
      )
    expect(write(`${HOME}/.holdpoint/policy.json`).effect).toBe('ask')
    expect(write(`${PROJECT}/l/policy.json`).effect).toBe('ask')
    expect(write(`${HOME}/.holdpoints`).effect).not.toBe('ask')
  })

  it('but a deny is a deny', () => {
    const deny = [...rules, policyRule('deny', 'Bash(rm *)')]
    expect(judged(deny, `rm ${HOME}/.holdpoint/x`, { facts: { guarded } }).effect).toBe('deny')
  })
})

describe('a folder inside of what is guarded that is like any other', () => {
  const facts = { guarded: [`${HOME}/.holdpoint`], unguarded: [`${HOME}/.holdpoint/demo/scratch`] }
  const rules = [policyRule('allow', `Bash(touch ${HOME}/.holdpoint/demo/scratch/x)`)]

  it('is not guarded', () => {
    expect(judged(rules, `touch ${HOME}/.holdpoint/demo/scratch/x`, { facts })).toMatchObject({ effect: 'allow' })
    expect(judged(rules, `echo "$x" > ${HOME}/.holdpoint/demo/scratch/y`, { facts })).toMatchObject({ effect: 'none' })
  })

  it.each([
    `touch ${HOME}/.holdpoint/demo/y`,
    `touch ${HOME}/.holdpoint/demo/scratch/../x`,
    `echo "$x" > ${HOME}/.holdpoint/demo/scratch/../../x`,
    `rm -rf ${HOME}/.holdpoint/demo`,
    `touch ${HOME}/.holdpoint/demo/scratchy`,
  ])('does not open what lies beside it: %j', (command) => {
    expect(judged(rules, command, { facts })).toMatchObject({ effect: 'ask' })
  })

  it('opens nothing that it has a link to', () => {
    const link = `${HOME}/.holdpoint/demo/scratch/x`
    const links = { [link]: `${HOME}/.holdpoint/policy.json` }
    expect(judged(rules, `touch ${link}`, { facts, links })).toMatchObject({ effect: 'ask' })
  })
})

it.each([
  'cp evil -t.holdpoint',
  'cp -rt.holdpoint evil',
  'cp -r evil/. .',
  'rm -rf .',
  'rm -rf .h*',
  `rm -rf ${PROJECT}`,
])('T71 a guarded file of the project is named also by an attached option, a glob or its folder: %j', (command) => {
  const rules = [policyRule('allow', 'Bash(cp *)'), policyRule('allow', 'Bash(rm *)')]
  const facts = { guarded: [`${PROJECT}/.holdpoint`] }
  expect(judged(rules, command, { facts })).toMatchObject({ effect: 'ask' })
})

describe('T71 a guarded file is found also behind several `cd`', () => {
  const guarded = [`${HOME}/.holdpoint`, `${HOME}/.claude/settings.json`, '/var/lib/holdpoint/hook.mjs']
  const facts = { guarded }

  it.each([
    'cd /var/lib ; cd holdpoint ; touch hook.mjs',
    'cd /var/lib ; cd holdpoint ; echo x > hook.mjs',
    'cd /var/lib || true; cd holdpoint && touch hook.mjs',
    'cd /home ; cd u ; cd .claude ; touch settings.json',
    'cd .. ; cd .claude ; touch settings.json',
    'cd ~; cd .claude; touch settings.json',
    'cd; cd .claude; touch settings.json',
    'cd "$HOME"; cd .claude; touch settings.json',
    'cd -- /var/lib; cd -L holdpoint; touch hook.mjs',
    'pushd /var/lib; pushd holdpoint; touch hook.mjs',
    'cd /var/lib; (cd holdpoint; touch hook.mjs)',
    'cd /var/lib; { cd holdpoint; touch hook.mjs; }',
    'if cd /var/lib; then cd holdpoint; touch hook.mjs; fi',
    'cd /var; for d in lib holdpoint; do cd $d; done; touch hook.mjs',
    'f() { cd holdpoint; }; cd /var/lib; f; touch hook.mjs',
    'while ! test -e .claude; do cd ..; done; cd .claude; touch settings.json',
    "bash -c 'cd /var/lib; cd holdpoint; touch hook.mjs'",
    "cd /var/lib; bash -c 'cd holdpoint; touch hook.mjs'",
    "cd /var/lib; bash -c 'cd holdpoint; echo x > hook.mjs'",
    "cd /var/lib; cd holdpoint; bash <<< 'echo x > hook.mjs'",
    'cd /var; echo x > lib/hold*/hook.mjs',
    'echo x > /var/lib/hold*/h?ok.mjs',
    'eval cd /var/lib; eval cd holdpoint; touch hook.mjs',
    'command cd /var/lib; builtin cd holdpoint; touch hook.mjs',
    'cd /var/lib; cd hold*; touch hook.mjs',
    'cd "$x"; cd holdpoint; touch hook.mjs',
    'cd /var/lib; cd -P holdpoint; touch hook.mjs',
    'CDPATH=/var/lib; cd holdpoint; touch hook.mjs',
    'cd l; cd .; touch hook.mjs',
  ])('%j', (command) => {
    const links = { [`${PROJECT}/l`]: '/var/lib/holdpoint' }
    expect(judged([], command, { facts, links })).toMatchObject({ effect: 'ask' })
  })

  it.each([
    'cd a; cd b; touch hook.mjs',
    'cd a; make; cd ../b; make; cd ../c; make; cd -; make',
    'cd "$x" && touch hook.mjs',
    'for d in a b; do (cd $d && npm test); done',
    'cd /var/lib; cd holdpoint; cat hook.mjs; ls',
    'cd src; (cd a; make); cd lib; make',
    'pushd src; make; popd; make',
    'cd a; git commit -m "b > $c"',
    "cd a; bash -c 'echo x > hook.mjs'",
    'echo x > a*/hook.mjs',
  ])('and none where no guarded folder is reached: %j', (command) => {
    expect(judged([], command, { facts })).toMatchObject({ effect: 'none' })
  })
})

it.each([
  'rm ~/{.claude,x}/settings.json',
  'rm ~/{x,{y,.claude}}/settings.json',
  'rm ~/{x,.claude/settings.json}',
  'cp a ../{.claude,x}/settings.json',
  'cd ~; cd .claude; rm {settings,{x,y}}.json',
  `cd "\${HOME:?}/.claude" && echo x > settings.json`,
  "cp a '[x]/settings.json'",
  "echo a > '[x]/settings.json'",
  'echo a > \\[x\\]/settings.json',
])('T71 a guarded file is found also in braces, and behind a link whose name looks like a glob: %j', (command) => {
  const facts = { guarded: [`${HOME}/.claude/settings.json`] }
  const links = { [`${PROJECT}/[x]`]: `${HOME}/.claude` }
  expect(judged([], command, { facts, links })).toMatchObject({ effect: 'ask' })
  const write = { type: 'file', use: 'write', path: `${PROJECT}/[x]/settings.json` } as const
  expect(judged([], write, { facts, links })).toMatchObject({ effect: 'ask' })
})

it.each(['rm -rf {dist,build}', 'rm {src/a,src/b}', 'touch {a,b}.txt', 'cp a{,.bak}', 'touch src/{.a,b}'])(
  'braces that stand for no guarded name do not ask: %j',
  (command) => {
    expect(judged([], command, { facts: { guarded: [`${PROJECT}/.holdpoint`] } })).toMatchObject({ effect: 'none' })
  },
)
