import type { CallAction } from '@holdpoint/schema/call-action'
import { describe, expect, it } from 'vitest'
import { HOME, judged, PROJECT, policyRule } from './fixtures/judged.ts'

const secrets = policyRule('deny', 'Read(secrets/**)')
const env = policyRule('deny', 'Read(.env)')
const ssh = policyRule('deny', 'Read(~/.ssh/**)')
const ALLOWS = ['grep *', 'rg *', 'cat *', 'cp *', 'ls *', 'wc *', 'cd *', 'diff *'].map((words) =>
  policyRule('allow', `Bash(${words})`),
)
const READS = [...ALLOWS, policyRule('allow', 'Read(**)')]
const search = (path: string): CallAction => ({ type: 'file', use: 'read', path, isTree: true })

describe('T18 what is denied to read', () => {
  it.each([
    'grep -r x .',
    'grep -rn x',
    'grep --recursive x ./',
    `grep -r x ${PROJECT}`,
    `grep -R x ${HOME}`,
    'rg x',
    'rg -g "*.ts" x',
    'ag x',
    'git grep x',
    'cp -r . /tmp/x',
    'tar cf x.tar .',
    'rsync -a ./ x',
    'find . -exec cat {} +',
    'find . -type f | xargs cat',
    'cat s*/key',
    'cat */key',
    'cat ?ecrets/key',
    'cat [s]ecrets/key',
    'cat */*',
    'cat {secrets,x}/key',
    'cat @(secrets|x)/key',
    'cat s*/../secrets/key',
    'cat **/key',
    'cd secrets; cat key',
    'cd s*; cat key',
    '(cd secrets; cat key)',
    'cat ~/project/secrets/key',
    'cat "$HOME/project"/s*/key',
    `cat /home/*/project/secrets/key`,
    'wc -l s*',
  ])('is asked about in a command that reads a folder above it, or a glob: %j', (command) => {
    expect(judged([secrets, ...READS], command)).toMatchObject({ effect: 'ask', rule: secrets.id })
  })

  it.each([
    'grep -r x src',
    'grep x a.ts',
    'rg x src',
    'cat *.ts',
    'cat src/*',
    'ls',
    'ls -la .',
    'wc -l src/*.ts',
    'cp -r src lib',
    'npm test',
    'cat {a,b}.ts',
  ])('says nothing of %j', (command) => {
    expect(['none', 'allow']).toContain(judged([secrets, ...READS], command).effect)
  })

  it('is asked about where a file of that name may lie anywhere below', () => {
    for (const command of ['grep -r x src', 'rg x src/a', 'cat src/.e*', 'cp -r src x'])
      expect(judged([env, ...READS], command)).toMatchObject({ effect: 'ask', rule: env.id })
    for (const command of ['. src', '-N . empty', 'src lib', 'conf.d old', 'src/a.ts ./', '.. x.ts'])
      expect(judged([env, ...READS], `diff --no-dereference ${command}`)).toMatchObject({ effect: 'ask', rule: env.id })
    for (const command of [
      'cat *',
      'cat src/a.ts',
      'ls src',
      'grep x src/a.ts',
      'diff a.ts src/a.ts',
      'diff Makefile x.mk',
    ])
      expect(['none', 'allow']).toContain(judged([env, ...READS], command).effect)
  })

  it.each([
    'cat ~/.ssh/id',
    'cat $HOME/.ssh/id',
    'cat ~/.s*/id',
    'cd; cat .ssh/id',
    'cd ~; cd .ssh; cat id',
    'tar c ~',
  ])('is found in the home folder: %j', (command) => {
    expect(judged([ssh, ...READS], command)).toMatchObject({ effect: 'ask', rule: ssh.id })
  })

  it.each([
    'cat {.env,x}',
    'cat {.e,x}nv',
    'cat {x,{y,.env}}',
    'cat "$PWD/.env"',
    `cat \${PWD}/.env`,
    'cd */; cat .env',
    'cd "$a"; cd b; cat .env',
    'pushd +1; cat .env',
  ])('is found in braces, behind `$PWD`, and in a folder that may be any: %j', (command) => {
    expect(judged([env, ...READS], command)).toMatchObject({ effect: 'ask', rule: env.id })
  })

  it('is asked about where a tool searches a folder above it', () => {
    for (const path of [PROJECT, HOME, '/', `${PROJECT}/l`])
      expect(judged([secrets, ...READS], search(path), { links: { [`${PROJECT}/l`]: PROJECT } })).toMatchObject({
        effect: 'ask',
        rule: secrets.id,
      })
    expect(judged([secrets, ...READS], search(`${PROJECT}/src`)).effect).toBe('allow')
    expect(judged([env, ...READS], search(`${PROJECT}/src`))).toMatchObject({ effect: 'ask', rule: env.id })
    expect(judged([secrets, ...READS], search(`${PROJECT}/secrets/a`)).effect).toBe('deny')
    expect(judged([policyRule('deny', 'Read(src/*/key)'), ...READS], search(`${PROJECT}/src/a/b`)).effect).toBe('allow')
  })

  it('or to write is asked about where a command changes a whole folder above it', () => {
    const rules = [policyRule('deny', 'Edit(secrets/**)'), policyRule('allow', 'Bash(rm *)')]
    for (const command of ['rm -rf .', 'rm -rf s*', 'chmod -R 777 .', `mv ${PROJECT} x`])
      expect(judged(rules, command)).toMatchObject({ effect: 'ask' })
    expect(judged(rules, 'rm -rf src').effect).toBe('allow')
  })
})
