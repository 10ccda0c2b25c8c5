import type { CallAction } from '@holdpoint/schema/call-action'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { joinPath } from '../shell/join-path.ts'
import { inCode } from './in-code.ts'
import { judge, pathsOf } from './judge.ts'
import type { PolicyCall } from './policy-call.ts'
import { parseRulePattern, type RulePattern } from './rule-pattern.ts'
import { whatItRuns } from './running-programs.ts'

/** The tests of a rule are judged in this folder. No file is read, and no path is a link. */
const PROJECT = '/home/someone/project'
const HOME = '/home/someone'

/** Why a rule is refused, in one plain sentence: it cannot be read, could never allow anything, or fails its own tests. */
export function checkRule(rule: PolicyRule): string | undefined {
  const parsed = parseRulePattern(rule.pattern, rule.effect)
  if ('error' in parsed) return parsed.error
  const { pattern } = parsed
  // A rule with a test that it must match can match something: `sed -n *`.
  const never = rule.effect === 'allow' && !rule.match?.length ? whyNever(pattern) : undefined
  if (never) return never
  for (const text of rule.match ?? []) {
    const why = whyNotTested(rule, pattern, text)
    if (why) return `The rule should match "${text}", but does not: ${why}`
  }
  const wrong = rule.notMatch?.find((text) => whyNotTested(rule, pattern, text) === undefined)
  return wrong === undefined ? undefined : `The rule should not match "${wrong}", but does.`
}

/** An allow with a wildcard for a program that runs others: people would wonder why they are asked all the same. */
function whyNever(pattern: RulePattern): string | undefined {
  if (pattern.about !== 'command' || !pattern.words?.some((word) => 'any' in word)) return undefined
  const words = pattern.words.flatMap((word) => ('text' in word ? [word] : []))
  const runs = whatItRuns(words)
  return runs && `${inCode(words[0]?.text ?? '')} ${runs}: an allow rule for it must be the exact command, without *.`
}

/** Undefined if the rule, alone, has its effect on a call. */
function whyNotTested(rule: PolicyRule, pattern: RulePattern, text: string): string | undefined {
  const action = actionOf(pattern, text)
  if (!action) return 'a rule for a whole tool cannot have tests.'
  const call: PolicyCall = {
    agent: rule.agent,
    tool: pattern.about === 'tool' ? pattern.name : '',
    action,
    cwd: PROJECT,
    project: PROJECT,
    home: HOME,
    sessionId: SESSION,
    trusted: true,
  }
  const { until: _until, ...always } = rule
  const verdict = judge([{ ...always, scope: { kind: 'everywhere' } }], call, {
    now: 0,
    realPaths: new Map(pathsOf(call).map((path) => [path, path])),
    hashes: new Map((rule.pins ?? []).map(({ path, sha256 }) => [path, sha256])),
    guarded: [],
  })
  if (verdict.effect === rule.effect) return undefined
  // The reason of such a verdict is why nothing is allowed.
  return verdict.effect === 'none' && rule.effect !== 'allow' ? 'The pattern does not match it.' : verdict.reason
}

const SESSION = `ses_${'0'.repeat(26)}` as const

function actionOf(pattern: RulePattern, text: string): CallAction | undefined {
  switch (pattern.about) {
    case 'command':
      return { type: 'command', command: text }
    case 'file':
      return { type: 'file', use: pattern.use, path: pathOf(text) }
    case 'fetch':
      return { type: 'fetch', url: text }
    case 'mcp': {
      const [, server = '', tool = ''] = /^mcp__((?:(?!__).)+)__(.+)$/.exec(text) ?? []
      return { type: 'mcp', server, tool }
    }
    case 'tool':
      return undefined
    default:
      return pattern satisfies never
  }
}

/** As rules write paths: `~/…` and `//…`, others from the project. */
function pathOf(text: string): string {
  if (text.startsWith('//')) return joinPath('/', text.slice(1))
  if (text.startsWith('~/')) return joinPath(HOME, text.slice(2))
  return joinPath(PROJECT, text.replace(/^\//, ''))
}
