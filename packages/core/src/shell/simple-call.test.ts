import { spawnSync } from 'node:child_process'
import { LONG, report } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simpleCall } from './simple-call.ts'

describe('T22 a call of which it is certain what it runs', () => {
  it.each([
    'ls -la',
    'rm -rf ./build',
    'echo \'a b\' "c d"',
    'npm test',
    'npm test -- --watch=false a.test.ts',
    'npm run build:web',
    'sh build.sh',
    'bash -eux ./build.sh --fast',
    'node x.js --port=1',
    'python3.12 tools/x.py',
    './run --all',
    '/srv/tools/run',
    'npm test 2>&1 | tail -n 20',
    'sh x.sh | grep -v ok | head',
  ])('%s', (line) => {
    expect(simpleCall(line, '/srv')).toBeDefined()
  })

  it.each([
    '',
    'cp draft.txt out.txt',
    'mv a b',
    'ln -s a b',
    'make',
    'make -j4 all test',
    'npm start',
    'yarn run lint',
    'pnpm test',
    'bun run x',
    'tsx x.ts',
    'node link/../x.js',
    'cat ../x',
    './x --config=../y',
    'grep -R x .',
    'ls --dereference x',
    'npm test | grep -R x',
    "./run 'a b'",
    "/bin/bash -c 'cd pkg && npm test'",
    '/bin/sh x.sh',
    '/usr/bin/env a.b=./c sh x.sh',
    '/usr/bin/make all',
    '/usr/bin/npm -Cdecoy run test',
    '/usr/bin/node x.js',
    'X=./y z',
    '/usr//bin/env make all',
    '/usr/./bin/git status',
    '/usr/lib/git-core/git status',
    '/srvx/run',
    'npm run start',
    'npm run restart',
    'npm run install',
    'diff -r a b',
    'grep -5R x d',
    'grep --dere x d',
    'grep -fx d',
    'date -fx',
    'date --file=x',
    "cat 'a\rb'",
    "cat 'a\u2028b'",
    'cat "a\u00e4"',
    'ls | sh',
    'ls | grep --file=x',
    'tail -f x',
    "echo x | grep 'T|cat' --filter=txt:./f.sh b.txt 'x'",
    "grep 'a|b' -R x 'y'",
    "cat 'a'b",
    'cat a"b"',
    'echo 2>x',
    'ls |',
    '| ls',
    'ls > ',
    'ls |& cat',
    'ls || cat x',
    'ls *.ts',
    'ls ~',
    'ls $HOME',
    'ls `x`',
    'echo "$(x)"',
    'ls; ls',
    'ls && ls',
    'ls &',
    'ls >& x',
    'ls > $x',
    'ls > x > y',
    'ls < x',
    'ls\nls',
    'ls {a,b}',
    'ls (x)',
    'ls # x',
    'ls !x',
    'ls =x',
    'ls \\x',
    'CI=1 ls',
    'cd sub',
    'cd sub && npm test',
    'find . -name x',
    'git status',
    'env node x.js',
    'time ls',
    'sh',
    'sh -',
    'bash - x.sh',
    'sh -c ls',
    'bash +x x.sh',
    'sh x.sh | sh',
    'sh x.sh | tee y',
    'source x',
    '. x',
    'node inspect x.js',
    'node -r ./x y.js',
    'node x',
    'deno task x',
    'make -f x',
    'make -C x',
    'make SHELL=./x',
    'npm',
    'npm ci',
    'npm i',
    'npm -Cx run test',
    'npm test --script-shell=./x',
    'npm run -s build',
    'npm run',
    'npm exec x',
    'npx x',
    "'a=b' x",
    'eval ls',
    'printf x',
    'test -v x',
    'xargs ls',
    'curl https://example.com',
    'sed s/a/b/ x',
  ])('%j is none', (line) => {
    expect(simpleCall(line, '/srv')).toBeUndefined()
  })

  it('takes no program of the system for a file of the project, wherever the call is made', () => {
    for (const folder of ['/', '/usr', '/usr/bin']) expect(simpleCall('./usr/bin/env make', folder)).toBeUndefined()
    expect(simpleCall('usr/bin/env -C /home/u make', '/')).toBeUndefined()
    expect(simpleCall('./run', undefined)).toBeDefined()
  })

  it('gives its words as the program gets them, and says whether it runs a file', () => {
    expect(simpleCall('sh "build.sh" --in=a.txt | grep -c \'b c\'', '/srv')).toEqual({
      words: ['sh', 'build.sh', '--in=a.txt', 'grep', '-c', 'b c'],
      runs: true,
      writes: false,
      isPiped: true,
    })
    expect(simpleCall("grep -c 'T|cat' x", '/srv')?.words).toEqual(['grep', '-c', 'T|cat', 'x'])
    expect(simpleCall('date >> "a b"', '/srv')).toEqual({ words: ['date'], runs: false, writes: true, isPiped: false })
    expect(simpleCall('cat "a b"', '/srv')).toEqual({
      words: ['cat', 'a b'],
      runs: false,
      writes: false,
      isPiped: false,
    })
  })

  it('T19 has the words that bash has', () => {
    const piece = fc.constantFrom(...'ab/.=-: \'"|>&$\\*~#!;(){}[]\n%@+,2'.split(''), ' a', " 'a b'", ' "c|d"', ' -n')
    const lines = fc.sample(fc.array(piece, { maxLength: 12 }), { numRuns: LONG ? 1_000_000 : 20_000, seed: 1 })
    const simple = lines.flatMap((pieces) => {
      const line = `echo ${pieces.join('')}`
      const call = simpleCall(line, '/srv')
      return call && !call.writes ? [{ line, words: call.words }] : []
    })
    // Each program prints its words and reads nothing: what bash makes of the line is seen, and nothing runs.
    const names = ['echo', 'cat', 'grep', 'head', 'tail', 'wc']
    const shown = names.map((name) => `${name}() { printf '%s\\0' ${name} "$@" >&3; }`)
    const script = simple.map(({ line }) => `{ ${line}\n} 2>/dev/null; printf '\\n\\0' >&3`)
    const input = [...shown, ...script].join('\n')
    const stdio = ['pipe', 'ignore', 'ignore', 'pipe'] as const
    // By default what is more than a megabyte is cut off.
    const bash = spawnSync('bash', ['--norc'], { input, stdio: [...stdio], cwd: '/', maxBuffer: 1024 ** 3 })
    const seen = String(bash.output[3]).split('\n\0').slice(0, -1)
    report(`T19: ${simple.length} of ${lines.length} lines compared with bash`)
    expect(simple.length).toBeGreaterThan(200)
    expect(seen.map((text) => text.split('\0').slice(0, -1).sort())).toEqual(
      simple.map(({ words }) => [...words].sort()),
    )
  })
})
