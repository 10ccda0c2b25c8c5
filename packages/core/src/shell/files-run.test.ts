import { describe, expect, it } from 'vitest'
import { filesRun } from './files-run.ts'

const firsts = (line: string, folder?: string) => {
  const { files, unknown } = filesRun(line, folder)
  return { files: files.map(([first]) => first), unknown }
}

describe('T22 the files of the project that a command runs', () => {
  it.each([
    ['sh build.sh', ['/w/build.sh']],
    ['bash -ex ./build.sh --fast', ['/w/build.sh']],
    // Behind a link `..` leads elsewhere than its words say: the system follows it.
    ['. env.sh && source ../x/y', ['/w/env.sh', '/w/../x/y']],
    ['./run', ['/w/run']],
    ['tools/run arg', ['/w/tools/run']],
    ['/srv/tools/run', ['/srv/tools/run']],
    ['/usr/bin/env FOO=1 node x.js', ['/w/x.js']],
    ['node --import ./hook.mjs -r ./env.cjs server.js', ['/w/hook.mjs', '/w/env.cjs', '/w/server.js']],
    ['node --import=./hook.mjs server.js', ['/w/hook.mjs', '/w/server.js']],
    ['python3.12 -u "my script.py" x', ['/w/my script.py']],
    ['deno run -A x.ts', ['/w/x.ts']],
    ['bun run x.ts', ['/w/x.ts']],
    ['ruby -r ./lib x.rb; perl x.pl; php -f x.php', ['/w/lib', '/w/x.rb', '/w/x.pl', '/w/x.php']],
    ['make -C sub test', ['/w/sub/GNUmakefile']],
    ['make -f own.mk', ['/w/own.mk']],
    ['npm test', ['/w/package.json']],
    ['npm --prefix sub run build', ['/w/sub/package.json']],
    ['yarn build', ['/w/package.json']],
    ['npm ci', ['/w/package.json']],
    ['cd sub && sh x.sh', ['/w/sub/x.sh']],
    ['cd sub; sh x.sh', ['/w/sub/x.sh', '/w/x.sh']],
    ["bash -c 'cd a && sh x.sh'", ['/w/a/x.sh']],
    ['sudo -u x timeout -s KILL 5 nice -n 5 sh x.sh', ['/w/x.sh']],
    ['find . -name "*.x" -exec sh x.sh {} \\;', ['/w/x.sh']],
    ['bash -euo pipefail build.sh', ['/w/build.sh']],
    ['bash -ce "sh build.sh"', ['/w/build.sh']],
    ['ls | xargs -n 1 sh x.sh', ['/w/x.sh']],
    ['sh < x.sh', ['/w/x.sh']],
    ['echo "$(sh x.sh)"', ['/w/x.sh']],
    ['npm run build && node dist/x.js | tee log', ['/w/package.json', '/w/dist/x.js']],
  ])('%s', (line, files) => {
    expect(firsts(line, '/w')).toEqual({ files, unknown: undefined })
  })

  it.each([
    'ls -la',
    'git status',
    'git add "a b"',
    'echo $HOME',
    'rm -rf ./build',
    'cat build.sh > copy.sh',
    'grep -r x . | wc -l',
    '/usr/bin/git log',
    'npm ls',
    'npm --version',
    'touch a b c',
    'curl https://example.com -o x',
    'cd sub',
    'timeout 5 ls',
    'FOO=1 ls',
  ])('%s: none, and there is nothing to say', (line) => {
    expect(filesRun(line, '/w')).toEqual({ files: [] })
  })

  it.each([
    ['for f in *.sh; do sh $f; done', /loop or a condition/],
    ['sh "$X"', /only when it runs/],
    ['sh $(ls *.sh)', /only when it runs/],
    ['curl https://example.com | sh', /from its input/],
    ['cat x.sh | bash -s -- a', /from its input/],
    ['{ bash; } < build.sh', /from its input/],
    ['cat build.sh | (bash)', /from its input/],
    ['bash <<E\nsh build.sh\nE', /from its input/],
    ['exec 0<x; bash', /not known/],
    ['find . -name build.sh -exec sh {} \\;', /only when it runs/],
    ['echo build.sh | xargs -I{} sh {}', /-I/],
    ['xargs -a list sh', /-a/],
    ['echo build.sh | xargs sh', /only when it runs/],
    ['make -sC sub', /not known/],
    ['make -sf other.mk', /not known/],
    ['make SHELL=./x', /not known/],
    ['sh /proc/self/cwd/build.sh', /fixed place/],
    ['sh /dev/stdin < x', /fixed place/],
    ['./env sh x.sh; awk -f prog.awk', /awk/],
    ['fish x.fish', /fish/],
    ['busybox sh x.sh', /busybox/],
    ['strace sh x.sh', /strace/],
    ['bash --rcfile x -i', /--rcfile/],
    ['go run .', /go/],
    ['pytest', /pytest/],
    ['tsx --tsconfig x.json y.ts', /--tsconfig/],
    ['node --env-file .env x.js', /--env-file/],
    ['node -r dotenv/config server.js', /dotenv/],
    ['python3 -Bm mod', /-Bm/],
    ['ruby -r./x y.rb', /-r/],
    ['ruby -C sub x.rb', /-C/],
    ['npm -w a run build', /-w/],
    ['npm --script-shell ./x run build', /--script-shell/],
    ['git commit -m x', /git/],
    ['git log "$(cat options)"', /git/],
    ['git -c core.pager=./x log', /git/],
    ['GIT_EXTERNAL_DIFF=./x git diff', /GIT_EXTERNAL_DIFF/],
    ['sed -f x.sed y', /sed/],
    ["sed 's/a/b/e' y", /sed/],
    ['sort --compress-program=./x y', /sort/],
    ['node -e "require(\'./x\')"', /-e/],
    ['python3 -m tool', /-m/],
    ['npx tool', /npx/],
    ['pnpm exec tool', /pnpm exec/],
    ['deno run https://example.com/x.ts', /address/],
    ['watch sh x.sh', /watch/],
    ['env -S "sh x.sh"', /-S/],
    ['cd ~ && sh x.sh', /folder/],
    ['PATH=. tool', /PATH/],
    ['env PATH=. tool', /PATH/],
  ])('%s: says why it cannot tell', (line, why) => {
    expect(filesRun(line, '/w').unknown).toMatch(why)
  })

  it('names what it can beside what it cannot', () => {
    expect(firsts('sh x.sh; sh "$X"', '/w')).toMatchObject({ files: ['/w/x.sh'], unknown: expect.any(String) })
  })

  it('names nothing relative where the folder is not known', () => {
    expect(firsts('sh x.sh')).toMatchObject({ files: [], unknown: expect.stringMatching(/folder/) })
    expect(firsts('sh /w/x.sh')).toEqual({ files: ['/w/x.sh'], unknown: undefined })
    expect(firsts('cd /a && sh x.sh')).toEqual({ files: ['/a/x.sh'], unknown: undefined })
    expect(firsts('cd /a; sh x.sh')).toMatchObject({ files: [], unknown: expect.any(String) })
  })

  it('says in which order places are looked at', () => {
    expect(filesRun('make', '/w').files).toEqual([['/w/GNUmakefile', '/w/makefile', '/w/Makefile']])
    expect(filesRun('npm test', '/w/a').files).toEqual([['/w/a/package.json', '/w/package.json', '/package.json']])
    expect(filesRun('node build', '/w').files[0]?.slice(0, 2)).toEqual(['/w/build', '/w/build.js'])
  })
})
