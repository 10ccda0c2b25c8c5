import { canonicalJson } from '@holdpoint/schema/json'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { STARTER_GIT } from './starter-git.ts'
import { STARTER_MACHINE, STARTER_VERSIONS } from './starter-machine.ts'
import { STARTER_FILES, STARTER_TEXTS } from './starter-reading.ts'
import type { StarterRow } from './starter-row.ts'

/** A rule of the starter set, before somebody takes it over as their own. */
export type StarterRule = Pick<PolicyRule, 'effect' | 'agent' | 'pattern' | 'scope'> &
  Required<Pick<PolicyRule, 'match' | 'notMatch' | 'why'>>

const READS = 'It only reads and prints what is in the project.'
const TELLS = 'It only prints facts about this machine.'
const GIT = 'It only reads the repository.'
const TEXT = 'It only prints its arguments.'
const ASKS = 'It connects to other machines, or cannot be undone.'

const ASKING: readonly StarterRow[] = [
  ['Bash(git push *)', ['git push', 'git -C x push -f', "sh -c 'git push'"], ['git pull']],
  ['Bash(git reset --hard *)', ['git reset --hard', 'git reset --hard HEAD~1'], ['git reset a']],
  ['Bash(git clean *)', ['git clean -fdx'], ['git status']],
  ['Bash(rm -rf *)', ['rm -rf x', 'sudo rm -rf /'], ['rm x']],
  ['Bash(rm -fr *)', ['rm -fr x'], ['rm x']],
  ['Bash(rm -r *)', ['rm -r x', 'rm -v -r x'], ['rm x']],
  ['Bash(sudo *)', ['sudo ls', 'sudo -i'], ['ls sudo']],
  ['Bash(curl *)', ['curl https://example.com', 'echo $(curl x)'], ['echo curl']],
  ['Bash(wget *)', ['wget https://example.com'], ['echo wget']],
  ['Bash(npm publish *)', ['npm publish', 'npm publish --tag x'], ['npm test']],
  ['Bash(docker *)', ['docker run x'], ['echo docker']],
  ['Bash(kubectl *)', ['kubectl apply -f x'], ['echo kubectl']],
  ['Bash(ssh *)', ['ssh host ls'], ['echo ssh']],
]

/** The rules that are offered at first use: allow what is known to be safe, ask about what is risky. None denies. */
export const STARTER_RULES: readonly StarterRule[] = [
  ...rows('allow', READS, STARTER_FILES),
  ...rows('allow', TEXT, STARTER_TEXTS),
  ...rows('allow', TELLS, STARTER_MACHINE),
  ...rows('allow', TELLS, STARTER_VERSIONS),
  ...rows('allow', GIT, STARTER_GIT),
  ...rows('ask', ASKS, ASKING),
]

const BY_PATTERN = new Map(STARTER_RULES.map((rule) => [`${rule.effect} ${rule.pattern}`, canonicalJson(rule)]))

/** Whether a saved rule is one of the starter set as it was added: never edited, and all that it says stands there. */
export function isFromStarter({ id: _, by: __, at: ___, revision, ...said }: PolicyRule): boolean {
  const offered = revision === 0 && BY_PATTERN.get(`${said.effect} ${said.pattern}`)
  return offered === canonicalJson(said)
}

function rows(effect: StarterRule['effect'], why: string, given: readonly StarterRow[]): StarterRule[] {
  return given.map(([pattern, match, notMatch]) => ({
    effect,
    agent: '*',
    pattern,
    scope: { kind: 'everywhere' },
    match: [...match],
    notMatch: [...notMatch],
    why,
  }))
}
