import { programOf } from './program-of.ts'
import { readerWords } from './reader-options.ts'
import { READING_FORMS } from './reading-forms.ts'
import { READING_GIT, READING_GIT_FORMS } from './reading-git.ts'
import type { Word } from './shell-word.ts'

/** Programs that run other programs, or whatever a file says: their names, and what they run. */
const TABLE: readonly (readonly [names: string, clause: string])[] = [
  [
    'proxychains proxychains4 torsocks firejail bwrap runcon sg newgrp machinectl lxc ip start-stop-daemon xvfb-run dbus-run-session hyperfine ifne chronic vipe ld.so cross-env dotenv concurrently direnv mise asdf nvm cmd wsl prlimit setarch linux32 linux64 i386 i486 i586 i686 x86_64 uname26 choom uclampset coresched numactl systemd-inhibit tini dumb-init chpst softlimit envdir setuidgid cgexec cpulimit eatmydata faketime caffeinate sandbox-exec mpirun mpiexec srun sshpass autossh torify ccache sccache rr dtach daemonize run-parts watchexec',
    'runs the program that its arguments name',
  ],
  ['turbo nx lerna husky lint-staged tsup swc babel dotnet msbuild', 'runs what the project configures'],
  [
    'pandoc protoc cppcheck clang-tidy doxygen gs sox yt-dlp youtube-dl rclone restic fd fdfind ag ack bat batcat fzf delta yq zless zmore patch rename prename',
    'can run a program that an option, a file or a setting names',
  ],
  ['sh bash dash zsh ksh mksh fish csh tcsh ash rbash busybox toybox', 'runs any command that it is given'],
  [
    'env xargs command builtin exec eval nohup setsid nice ionice chrt taskset stdbuf unbuffer',
    'runs the program that its arguments name',
  ],
  [
    'sudo doas su runuser pkexec chroot unshare nsenter setpriv capsh fakeroot systemd-run run0 gosu su-exec proot fakechroot',
    'runs the program that its arguments name, with other privileges',
  ],
  [
    'time timeout watch parallel flock entr strace ltrace gdb lldb valgrind perf script expect rlwrap',
    'runs the program that its arguments name',
  ],
  ['noglob nocorrect repeat foreach - coproc', 'runs the command that follows it'],
  [
    'source . trap alias unalias hash enable set shopt setopt export declare typeset local readonly unset read mapfile readarray let getopts bind complete compgen fc history test [ kill wait jobs fg bg',
    'can change what later commands do',
  ],
  [
    'tmux screen at batch crontab ssh-agent dbus-launch xdg-open open start gio',
    'starts programs later or outside of this session',
  ],
  ['npx bunx pnpx uvx pipx dlx', 'runs a package that may come from the network'],
  ['npm yarn pnpm bun corepack', 'runs what package.json says'],
  [
    'node nodejs deno tsx ts-node python pypy perl ruby irb php lua luajit tclsh wish Rscript R julia groovy scala erl elixir mix iex ghci runghc osascript pwsh powershell swift dart java javac kotlin jshell',
    'runs code from a file or from its arguments',
  ],
  [
    'awk gawk mawk nawk sed ed ex vi vim nvim view vimdiff nano emacs emacsclient less more most man info pager',
    'can run programs from its script or on a key press',
  ],
  [
    'make gmake ninja cmake ctest meson bazel bazelisk just task rake zig dune stack cabal rebar3 xcodebuild ant mvn mvnw gradle gradlew sbt lein scons tup',
    'runs what the build file says',
  ],
  [
    'cargo go rustc rustup gcc g++ cc c++ clang clang++ ld as tsc esbuild vite webpack rollup',
    'runs build scripts, plugins or other programs',
  ],
  [
    'jest vitest mocha ava tap playwright cypress pytest tox nox phpunit rspec bats eslint prettier biome stylelint nyc c8 nodemon mypy rustfmt pylint flake8 coverage pre-commit sphinx-build mkdocs rubocop gulp grunt karma next nuxt astro parcel storybook golangci-lint hatch pdm invoke alembic',
    'runs the code and the configuration of the project',
  ],
  [
    'pip pip3 uv poetry pipenv conda mamba gem bundle bundler composer cpan cpanm apt apt-get aptitude dpkg yum dnf rpm apk pacman brew snap flatpak nix',
    'installs packages, which run scripts',
  ],
  ['ssh scp sftp rsync mosh telnet nc ncat netcat socat', 'connects to other machines, or runs programs there'],
  [
    'docker podman nerdctl docker-compose buildah kubectl oc helm minikube kind ansible ansible-playbook terraform tofu vagrant packer aws gcloud az gh glab heroku fly vercel',
    'runs programs in containers or on other machines',
  ],
  ['curl wget aria2c httpie http https lynx w3m', 'connects to other machines'],
  ['tar zip unzip 7z cpio pax ar zipinfo bsdtar', 'can run a program that an option names'],
  ['openssl gpg gpg2 pass ssh-keygen ssh-add', 'can load programs that an option names, or use keys'],
  ['mysql psql sqlite3 sqlite redis-cli mongo mongosh duckdb', 'can run programs from its script'],
  [
    'systemctl service launchctl init shutdown reboot mount umount modprobe insmod ldconfig update-alternatives',
    'changes the system',
  ],
  [
    'dc m4 tclsh gnuplot octave latex pdflatex xelatex tex bibtex convert magick ffmpeg',
    'can run programs from its input',
  ],
  ['hg svn bzr fossil jj', 'runs hooks and programs that a repository names'],
  ['split', 'can run a program that an option names'],
]

const RUNNING: ReadonlyMap<string, string> = new Map(
  TABLE.flatMap(([names, clause]) => names.split(' ').map((name) => [name, clause] as const)),
)
const FIND_RUNS = /^-(exec|ok)(dir)?$/
const WRAPS = 'runs the program that its arguments name'

/** Whether a program runs the one whose name stands in its arguments, as `sudo` and `timeout` do. */
export function isWrapper(name: string): boolean {
  return RUNNING.get(name)?.startsWith(WRAPS) === true
}

/**
 * Printing some lines of a file, or their number, and nothing else. Without brackets and backslashes every sed agrees on
 * where a pattern ends.
 */
const SED_PRINTS = /^((\d+|\$|\/[^/\\[\n]+\/)(,(\d+|\$|\+\d+|\/[^/\\[\n]+\/))?p|\$=)$/

/** What a call runs beside its own program, as a clause: "runs what package.json says"; undefined if nothing. */
export function whatItRuns(words: readonly Word[]): string | undefined {
  const [first, ...args] = words
  if (!first || !('text' in first)) return 'is known only at run time'
  const name = programOf(words)
  const texts = args.map((word) => ('text' in word ? word.text : ''))
  if (name === 'find') return texts.some((text) => FIND_RUNS.test(text)) ? 'runs a program for each file' : undefined
  if (name === 'git') return gitRuns(args, texts)
  if (name === 'sed' && texts[0] === '-n' && SED_PRINTS.test(texts[1] ?? '')) return undefined
  // They look for a program, and run none.
  if (name === 'command' && /^-[vV]$/.test(texts[0] ?? '')) return undefined
  const form = READING_FORMS.get(name)
  if (form && 'files' in readerWords(form, args)) return undefined
  // `python3.11`, `gcc-12`
  return RUNNING.get(name) ?? RUNNING.get(name.replace(/-?\d[\d.]*$/, ''))
}

function gitRuns(args: readonly Word[], texts: readonly string[]): string | undefined {
  const at = texts[0] === '--no-pager' ? 1 : 0
  const subcommand = texts[at]
  if (subcommand === undefined || subcommand === '--version' || READING_GIT.has(subcommand)) return undefined
  const form = READING_GIT_FORMS.get(subcommand)
  if (form && 'files' in readerWords(form, args.slice(at + 1))) return undefined
  // The rest of git runs hooks, and what its options, its aliases and the repository name.
  return 'runs hooks, aliases and programs that options or the repository name'
}
