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
    ['source ../x/y', ['/w/../x/y']],
    ['. env.sh', ['/w/env.sh']],
    ['./run', ['/w/run']],
    ['tools/run arg', ['/w/tools/run']],
    ['/srv/tools/run', ['/srv/tools/run']],
    ['/usr/bin/env CI=1 node x.js', ['/w/x.js']],
    ['node --import ./hook.mjs -r ./env.cjs server.js', ['/w/hook.mjs', '/w/env.cjs', '/w/server.js']],
    ['node --import=./hook.mjs server.js', ['/w/hook.mjs', '/w/server.js']],
    ['python3.12 -u "my script.py" x', ['/w/my script.py']],
    ['deno run -A x.ts', ['/w/x.ts']],
    ['bun run x.ts', ['/w/x.ts']],
    ['ruby -r ./lib x.rb', ['/w/lib', '/w/x.rb']],
    ['perl x.pl', ['/w/x.pl']],
    ['php -f x.php', ['/w/x.php']],
    ['sh x.sh 2>&1 | tail -n 5', ['/w/x.sh']],
    ['sh x.sh > log', ['/w/x.sh']],
    ['cat x.sh && sh x.sh; echo done', ['/w/x.sh']],
    ['bash -c "sh x.sh" > log', ['/w/x.sh']],
    ['/usr/local/bin/tool', ['/usr/local/bin/tool']],
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
  ])('%s', (line, files) => {
    expect(firsts(line, '/w')).toEqual({ files, unknown: undefined })
  })

  it.each([
    'ls -la',
    'echo $HOME',
    'rm -rf ./build',
    'cat build.sh > copy.sh',
    'grep -r x . | wc -l',
    'npm ls',
    'npm --version',
    'touch a b c',
    'curl https://example.com -o x',
    'cd sub',
    'timeout 5 ls',
    'CI=1 ls',
    '[ -f x ] && ls',
    "sed -n '1,5p' x",
    "sed 's/a/b/g' x",
    'sort --reverse x',
    `echo "\${HOME}"`,
    'command -v ls',
  ])('%s: none, and there is nothing to say', (line) => {
    expect(filesRun(line, '/w')).toEqual({ files: [], settings: [] })
  })

  it.each([
    ['for f in *.sh; do sh $f; done', /loop or a condition/],
    ['sh "$X"', /only at run time/],
    ['sh $(ls *.sh)', /only at run time/],
    ['curl https://example.com | sh', /from its input/],
    ['cat x.sh | bash -s -- a', /from its input/],
    ['{ bash; } < build.sh', /from its input/],
    ['cat build.sh | (bash)', /from its input/],
    ['bash <<E\nsh build.sh\nE', /from its input/],
    ['exec 0<x; bash', /exec/],
    ['find . -name build.sh -exec sh {} \\;', /only at run time/],
    ['echo build.sh | xargs -I{} sh {}', /-I/],
    ['xargs -a list sh', /-a/],
    ['echo build.sh | xargs sh', /only at run time/],
    ['make -sC sub', /does not know what make/],
    ['make -sf other.mk', /does not know what make/],
    ['make SHELL=./x', /does not know what make/],
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
    ['git commit -m x', /configuration/],
    ['git status', /configuration/],
    ['/usr/bin/git log', /configuration/],
    ['npm run build && node dist/x.js', /may change the files/],
    ['cp src.sh run.sh && sh run.sh', /may change the files/],
    ['curl -so run.sh https://example.com && sh run.sh', /may change the files/],
    ['cat src.sh > run.sh && sh run.sh', /may change the files/],
    ['{ cat src.sh; } > run.sh && sh run.sh', /may change the files/],
    ['find . -delete -exec sh x.sh {} \\;', /may change the files/],
    ['bash -c "cp a b; sh b"', /may change the files/],
    ['source env.sh && sh y.sh', /sources/],
    ['. env.sh; ls', /sources/],
    ['command cd sub && sh x.sh', /command/],
    ['builtin cd sub && sh x.sh', /builtin/],
    ['cd -P link/.. && sh x.sh', /folder/],
    ['find sub -name k -execdir sh x.sh \\;', /-execdir/],
    ["sed 's/.*/sh x.sh/e#/' f", /sed/],
    ['sort -S 1b --co=./x.sh big', /sort/],
    ['curl --engine ./x.so https://example.com', /curl/],
    ["LESSOPEN='|sh ./x.sh %s' cat f", /LESSOPEN/],
    ['HOME=./h ls', /HOME/],
    ['env HOME=./h ls', /HOME/],
    ['git fetch --upload-pa=./x.sh .', /configuration/],
    ['command export PATH=./bin; ls', /command/],
    ["printf -v PATH '%s' ./bin; ls", /printf/],
    ["test -v 'a[$(sh x.sh)]'", /test/],
    ["[ 'a[$(sh x.sh)]' -eq 0 ]", /\[/],
    ["[[ 'a[$(sh x.sh)]' -eq 0 ]]", /form/],
    ["unset 'a[$(sh x.sh)]'", /sets a/],
    ["read 'a[$(sh x.sh)]' < f", /sets a/],
    ["CI='a[$(sh x.sh)]'; exit $CI", /exit/],
    ['echo $((a))', /expansion/],
    [`echo \${a[1]}`, /expansion/],
    [`echo \${a@P}`, /expansion/],
    [`echo \${!a}`, /expansion/],
    [`cat <<E\n\${a:-'$(sh x.sh)'}\nE`, /expansion/],
    [`: \${CDPATH:=p}; cd x && sh y.sh`, /expansion/],
    ['ls {PATH}> x', /form/],
    ['less x', /less/],
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
    ['deno run https://example.com/x.ts', /URL/],
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

  it('names them in a project that lies among the folders of the system', () => {
    for (const folder of ['/opt/app', '/usr/src/app', '/nix/x', '/usr/local/bin'])
      expect(firsts('sh x.sh', folder)).toEqual({ files: [`${folder}/x.sh`], unknown: undefined })
    expect(firsts('./run', '/opt/app')).toEqual({ files: ['/opt/app/run'], unknown: undefined })
  })

  it('names nothing relative where the folder is not known', () => {
    expect(firsts('sh x.sh')).toMatchObject({ files: [], unknown: expect.stringMatching(/folder/) })
    expect(firsts('sh /w/x.sh')).toEqual({ files: ['/w/x.sh'], unknown: undefined })
    expect(firsts('cd /a && sh x.sh')).toEqual({ files: ['/a/x.sh'], unknown: undefined })
    expect(firsts('cd /a; sh x.sh')).toMatchObject({ files: [], unknown: expect.any(String) })
  })

  it('names the settings by which a package manager finds what it runs', () => {
    const names = ['.npmrc', 'package.json', 'node_modules/.bin/sh']
    const upward = names.flatMap((name) => ['/w/a', '/w', ''].map((folder) => `${folder}/${name}`))
    expect(filesRun('npm test', '/w/a').settings).toEqual(upward)
    expect(filesRun('yarn run x', '/w').settings).toContain('/w/.yarnrc.yml')
    expect(filesRun('sh x.sh', '/w').settings).toEqual([])
  })

  it('says in which order places are looked at', () => {
    expect(filesRun('make', '/w').files).toEqual([['/w/GNUmakefile', '/w/makefile', '/w/Makefile']])
    expect(filesRun('npm test', '/w/a').files).toEqual([['/w/a/package.json', '/w/package.json', '/package.json']])
    expect(filesRun('node build', '/w').files[0]?.slice(0, 2)).toEqual(['/w/build', '/w/build.js'])
  })
})
