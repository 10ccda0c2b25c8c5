import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JudgedCall, JudgedIn } from '@holdpoint/core/policy'
import { isFromStarter, STARTER_RULES } from '@holdpoint/core/policy/starter-rules'
import { unknownTool } from '@holdpoint/core/policy/unknown-tool'
import type { CallAction } from '@holdpoint/schema/call-action'
import type { Device } from '@holdpoint/schema/device'
import { type ExplainCall, type NewRule, policyEndpoints } from '@holdpoint/schema/endpoints/policy'
import { RuleId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { actorOf } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import { exportedFile, exportedPermissions, importedRules } from '../policy/import-export.ts'
import { FILE_LIMITS } from '../policy/policy-file.ts'
import type { RuleRefusal } from '../policy/policy-rules.ts'
import type { RepositoryPolicy } from '../policy/repository-policy.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder } from '../trust/existing-folder.ts'

type Deps = Pick<
  Services,
  | 'policy'
  | 'policyRules'
  | 'ruleUses'
  | 'pastCalls'
  | 'policyFile'
  | 'otherPolicyFiles'
  | 'machines'
  | 'repositoryPolicy'
  | 'actionOf'
  | 'toolNames'
  | 'trustedFolders'
  | 'clock'
>

/** The rules that people make, and what they say of a call. */
export function policyRoutes(services: Deps): Route[] {
  const {
    policy,
    policyRules,
    ruleUses,
    pastCalls,
    policyFile,
    otherPolicyFiles,
    machines,
    repositoryPolicy,
    actionOf,
    toolNames,
    trustedFolders,
    clock,
  } = services
  const notTaken = () => {
    const taken = new Set(
      policyRules
        .list()
        .filter((rule) => rule.effect === 'allow' || holdsAlways(rule))
        .map(({ effect, pattern }) => `${effect} ${pattern}`),
    )
    return STARTER_RULES.filter(({ effect, pattern }) => !taken.has(`${effect} ${pattern}`))
  }
  const inForce = () => [...policyRules.list(), ...policyFile.list()]
  const otherFiles = () =>
    otherPolicyFiles.states().flatMap(({ node, file }) => {
      const machine = machines.list()?.find(({ id }) => id === node)
      return [
        { machine: { id: node, name: machine?.name ?? node }, file: { ...file, rules: file.rules.filter(isStricter) } },
      ]
    })
  const warnings = () =>
    inForce().flatMap((rule) => {
      const text = toolNames.size === 0 ? undefined : unknownTool(rule, toolNames)
      return text === undefined ? [] : [{ rule: rule.id, text }]
    })
  async function state(folder?: string) {
    await policyFile.refresh()
    const project = folder === undefined ? undefined : await existingFolder(folder)
    const repository = project === undefined ? undefined : await repositoryPolicy(project)
    return {
      rules: [...policyRules.list()],
      unreadable: [...policyRules.unreadable()],
      starter: notTaken().map(({ agent: _agent, scope: _scope, ...offered }) => offered),
      fromStarter: policyRules.list().flatMap((rule) => (isFromStarter(rule) ? [rule.id] : [])),
      file: policyFile.state(),
      ...(machines.list() && { otherFiles: otherFiles() }),
      ...(repository && { repository: shownRepository(repository) }),
      warnings: warnings(),
      uses: ruleUses.all(),
    }
  }
  async function tried(given: ExplainCall): Promise<[JudgedIn, JudgedCall]> {
    const { agent, tool: name = '', input = {}, action, cwd, project = cwd, sessionId } = given
    const call = { tool: { name, input }, cwd }
    const trusted = await trustedFolders.isTrusted(project)
    const session = { agent, cwd: project, trusted, ...(sessionId && { id: sessionId }) }
    return [session, { ...call, ...(action ? { action: inFolder(action, cwd) } : actionOf(agent, call)) }]
  }
  return [
    route(policyEndpoints.read, {
      action: 'read-policy',
      handle: async ({ query }) => ({ status: 200, body: await state(query.folder) }),
    }),
    route(policyEndpoints.add, {
      action: 'change-policy',
      bodyLimit: RULE_BODY,
      async handle({ body, device }) {
        const added = await policyRules.add(await inRealFolder(body), actorOf(device))
        return added.ok ? { status: 201, body: added.rule } : refused(added.refusal)
      },
    }),
    route(policyEndpoints.change, {
      action: 'change-policy',
      bodyLimit: RULE_BODY,
      async handle({ body, device, params }) {
        const id = RuleId.safeParse(params.id)
        if (!id.success) return refusal('not_found')
        const rule = await inRealFolder(body.rule)
        const changed = await policyRules.change(id.data, body.revision, rule, actorOf(device))
        return changed.ok ? { status: 200, body: changed.rule } : refused(changed.refusal)
      },
    }),
    route(policyEndpoints.remove, {
      action: 'change-policy',
      async handle({ params }) {
        const isRemoved = await policyRules.remove(params.id ?? '')
        return isRemoved ? { status: 204 } : refusal('not_found')
      },
    }),
    route(policyEndpoints.addStarter, {
      action: 'change-policy',
      async handle({ device }) {
        const refusedAll = await policyRules.addAll(notTaken(), actorOf(device))
        return refusedAll ? refused(refusedAll) : { status: 200, body: await state() }
      },
    }),
    route(policyEndpoints.removeStarter, {
      action: 'change-policy',
      async handle({ body }) {
        const isRefused = await policyRules.removeAll([...new Set(body.rules)], isFromStarter)
        return isRefused
          ? refusal('changed', { message: 'The starter set has changed since you looked at it. Nothing was removed.' })
          : { status: 200, body: await state() }
      },
    }),
    route(policyEndpoints.explain, {
      action: 'read-policy',
      bodyLimit: RULE_BODY,
      async handle({ body }) {
        if (!isCall(body)) return refusal('invalid_request', { message: NO_CALL })
        const judged = await policy.look(...(await tried(body)))
        return { status: 200, body: judged() }
      },
    }),
    route(policyEndpoints.dryRun, {
      action: 'read-policy',
      bodyLimit: RULE_BODY,
      inTurn: true,
      async handle({ device, body: { rule: given, id, days }, signal }) {
        if (!mayTry(device, given)) return refusal('forbidden')
        const { rule, problem } = policyRules.check(await inRealFolder(given), id)
        if (problem !== undefined) return refusal('invalid_request', { message: problem })
        return { status: 200, body: await pastCalls.dryRun(rule, days, signal) }
      },
    }),
    route(policyEndpoints.suggestions, {
      action: 'read-policy',
      inTurn: true,
      handle: async () => ({ status: 200, body: { suggestions: await pastCalls.suggestions() } }),
    }),
    route(policyEndpoints.confirmFile, {
      action: 'change-policy',
      async handle({ body }) {
        if (await policyFile.confirm(body.digest)) return { status: 200, body: policyFile.state() }
        return refusal('changed', {
          message: 'The policy file has changed since it was shown. Look at the changes again.',
        })
      },
    }),
    route(policyEndpoints.import, {
      action: 'change-policy',
      bodyLimit: FILE_LIMITS.maxBytes,
      async handle({ body, device }) {
        const given = body.format === 'claude-code' ? await inRealFolder(body) : body
        const found = importedRules(given, policyRules.list(), clock.now())
        const why = body.apply ? await policyRules.addAll(found.added, actorOf(device)) : undefined
        return why ? refused(why) : { status: 200, body: { ...found, applied: body.apply } }
      },
    }),
    route(policyEndpoints.export, {
      action: 'read-policy',
      async handle({ query: { format, folder } }) {
        await policyFile.refresh()
        if (format === 'holdpoint') return { status: 200, body: exportedFile(inForce()) }
        const project = folder === undefined ? undefined : ((await existingFolder(folder)) ?? folder)
        return { status: 200, body: exportedPermissions(inForce(), { folder: project, now: clock.now() }) }
      },
    }),
    route(policyEndpoints.check, {
      action: 'read-policy',
      bodyLimit: RULE_BODY,
      async handle({ device, body: { rule, id, call } }) {
        if (!mayTry(device, rule)) return refusal('forbidden')
        if (call && !isCall(call)) return refusal('invalid_request', { message: NO_CALL })
        const { problem, rule: made } = policyRules.check(await inRealFolder(rule), id)
        if (problem !== undefined) return { status: 200, body: { problem } }
        const verdict = call && (await policy.tryRule(made, ...(await tried(call))))
        return { status: 200, body: verdict ? { verdict } : {} }
      },
    }),
  ]
}

/** What asks in one project, or for a while, leaves out all other calls. */
function holdsAlways({ agent, scope, until }: PolicyRule): boolean {
  return agent === '*' && scope.kind === 'everywhere' && until === undefined
}

/** What of another machine's file holds here, too. */
function isStricter({ effect }: PolicyRule): boolean {
  return effect !== 'allow'
}

const NO_CALL = 'A call needs a tool with its input, or an action.'

/** The verdict of a rule with pins tells whether a file has a given content. So only those who may save such a rule may try it. */
function mayTry(device: Device, { pins }: NewRule): boolean {
  return pins === undefined || may(device, 'change-policy')
}

function isCall({ tool, input, action }: ExplainCall): boolean {
  return action === undefined ? tool !== undefined && input !== undefined : tool === undefined && input === undefined
}

/** Calls are compared by the real path of their project: a rule for a folder that is named by a link would hold nowhere. */
async function inRealFolder<Given extends Pick<NewRule, 'scope'>>(given: Given): Promise<Given> {
  const { scope } = given
  if (scope.kind !== 'project') return given
  return { ...given, scope: { ...scope, folder: (await existingFolder(scope.folder)) ?? scope.folder } }
}

/** People write a path as they see it from the folder. */
function inFolder(action: CallAction, cwd: string): CallAction {
  if (action.type !== 'file') return action
  const path = action.path.startsWith('~/') ? join(homedir(), action.path.slice(2)) : resolve(cwd, action.path)
  return { ...action, path }
}

/** Bytes: fifty own tests of ten thousand characters, and some more. */
const RULE_BODY = 1024 * 1024

function shownRepository({ path, rules, ignored, error }: RepositoryPolicy) {
  return { path, rules, ignored, ...(error !== undefined && { error }) }
}

function refused(why: RuleRefusal) {
  switch (why.code) {
    case 'not_found':
      return refusal('not_found')
    case 'stale':
      return refusal('changed', { message: 'Somebody else has changed this rule since you read it. Read it again.' })
    case 'session_ended':
      return refusal('session_ended', { message: 'The session of this rule is not running.' })
    case 'too_many':
      return refusal('too_many_rules')
    case 'invalid':
      return refusal('invalid_request', { message: why.why })
    default:
      return why satisfies never
  }
}
