import { describe, expect, it } from 'vitest'
import { judged, policyRule } from './fixtures/judged.ts'

const deny = policyRule('deny', 'Bash(git push *)')
const rules = [deny, policyRule('allow', 'Bash(echo *)'), policyRule('allow', 'Bash(bash)')]

describe('T17 a command that is denied', () => {
  it.each([
    'bash <<< "git push o m"',
    `git ${'-c a=1 '.repeat(7)}push o m`,
    "sh -s <<< 'git push'",
    '. /dev/stdin <<< "git push"',
    'bash <<E\ngit push\nE',
    'prlimit --nofile=10 git push',
    'setarch x86_64 -R git push',
    'linux64 git push',
    'chrt 1 git push',
    'ionice -c 3 git push',
    'taskset 1 git push',
    'nsenter -t 1 git push',
    'unshare git push',
    'setpriv --reuid 1 git push',
    'choom -n 1 -- git push',
    'uclampset -m 1 git push',
    'flock x -c "git push"',
    'script -qc "git push" x',
    'runuser -u x git push',
    'su -c "git push"',
    'sudo git push',
    'doas git push',
    'env -S "git push"',
    'env -S"git push"',
    'xargs git push',
    'find . -exec git push {} +',
    'parallel git push ::: x',
    "parallel 'git push {}' ::: x",
    "echo main | xargs -I{} sh -c 'git push origin {}'",
    "echo main | xargs -I% sh -c 'git push origin %'",
    "find . -exec sh -c 'git push; echo {}' \\;",
    'watch git push',
    'strace git push',
    'ltrace git push',
    'gdb --args git push',
    'stdbuf -o0 git push',
    'timeout 5 git push',
    'nice git push',
    'nohup git push',
    'setsid git push',
    'unbuffer git push',
    'systemd-run git push',
    'systemd-inhibit git push',
    'chroot / git push',
    'busybox sh -c "git push"',
    'command git push',
    'exec git push',
    'builtin exec git push',
    'eval "git push"',
    "trap 'git push' EXIT",
    'coproc git push',
    'git -c alias.p=push p',
  ])('is denied behind what is known to run it: %j', (command) => {
    expect(judged(rules, command)).toMatchObject({ effect: 'deny', rule: deny.id })
  })

  it.each([
    'echo push | xargs git',
    'echo push | xargs -n1 git',
    'echo push | xargs -I% git %',
    'echo git | xargs -n 1 -I % % push',
    'echo "git push" | xargs -I{} sh -c {}',
    'echo "git push" | xargs -rI% bash -c %',
    'echo "git push" | xargs --replace=X sh -ec X',
    'echo "git push" | xargs -0 bash -c',
    'find . -name push -exec git {} +',
    'find . -exec sh -c {} \\;',
    'mytool git push',
    'mytool --run "git push"',
    'mytool -c /usr/bin/git push',
    'gtimeout 5 git push',
    'arch -x86_64 git push',
    `python3 -c "import os; os.system('git push')"`,
    'awk "BEGIN { system(\\"git push\\") }"',
    'echo "git push" | bash',
    'echo "git push" | sudo bash',
    'printf "git push" | sh -s',
    'bash <<< "$x"',
    'bash -c "mytool git push"',
    'bash < x',
    'cat x | bash -',
    'cat x | source /dev/stdin',
    'cat <<E | bash\ngit push\nE',
  ])('is asked about where it may run: %j', (command) => {
    expect(judged(rules, command)).toMatchObject({ effect: 'ask', rule: deny.id })
  })

  it.each([
    'echo git push',
    'grep "git push" x',
    'touch git push',
    'git commit -m "Explain git push"',
    'mytool "how to git push"',
    'gh pr create --body "Explain git push"',
    'ls | bash -c cat',
    'ls | xargs -I{} mv {} {}.bak',
    'ls | xargs grep -in x',
    'find . -exec grep -n x {} +',
    'cat x | bash run.sh',
    'npm test',
    'make',
  ])('is not seen where it does not run: %j', (command) => {
    expect(['none', 'allow']).toContain(judged(rules, command).effect)
  })
})
