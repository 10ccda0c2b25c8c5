import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import type { PolicyFileState, RepositoryPolicyState } from '@holdpoint/schema/policy-file'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Field, INPUT } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { count } from '../text/count.ts'
import { FileRuleLine } from './file-rule-line.tsx'
import { ruleGroups, type Wanted } from './rule-groups.ts'

interface FileProps {
  readonly wanted: Wanted
  readonly warnings: PolicyState['warnings']
}

interface OwnFileProps extends FileProps {
  readonly file: PolicyFileState
  /** The name of its machine, if that is another one than this gateway's. */
  readonly machine?: string
}

/** The owner's policy file: what of it holds, what waits, and what is wrong with it. It is changed in an editor, not here. */
export function OwnPolicyFile({ file, machine, ...shown }: OwnFileProps) {
  const { path, rules, error, waiting } = file
  const isEmpty = rules.length === 0 && error === undefined && waiting === undefined
  if (isEmpty && machine !== undefined) return null
  return (
    <FileSection
      title={machine === undefined ? 'Policy file' : `Policy file of ${machine}`}
      path={path}
      rules={rules}
      {...shown}
    >
      {machine !== undefined && (
        <p className="text-[13px] text-quiet">
          What asks or denies in this file holds on all machines. What allows holds on its own machine alone, and is not
          listed here. It is confirmed there.
        </p>
      )}
      {isEmpty && (
        <p className="text-[13px] text-quiet">
          This file has no rules, or does not exist. To keep rules in a file, write them there;{' '}
          <code className="font-mono text-xs">holdpoint rules export</code> prints your rules in its form.
        </p>
      )}
      {error !== undefined && (
        <Notice tone="deny" icon={TriangleAlert} role="alert">
          The policy file is not used: <VisibleText text={error} /> The rules that it had before stay in force.
        </Notice>
      )}
      {waiting && <Waiting waiting={waiting} />}
    </FileSection>
  )
}

function Waiting({ waiting: { added, removed } }: { waiting: NonNullable<PolicyFileState['waiting']> }) {
  return (
    <Notice tone="wait" icon={TriangleAlert} role="status">
      <p>
        The file was changed so that more is allowed. This waits for an owner:{' '}
        <code className="font-mono text-xs">holdpoint rules confirm</code> shows the change and asks.
      </p>
      <WaitingRules words="Not in force yet" rules={added} />
      <WaitingRules words="Removed from the file, still in force" rules={removed} />
    </Notice>
  )
}

function WaitingRules({ words, rules }: { words: string; rules: readonly PolicyRule[] }) {
  if (rules.length === 0) return null
  return (
    <>
      <p className="mt-2 text-xs font-medium">{words}</p>
      <ul className="font-mono text-xs text-ink wrap-anywhere">
        {rules.map(({ id, effect, pattern }) => (
          <li key={id}>
            {effect} <VisibleText text={pattern} code />
          </li>
        ))}
      </ul>
    </>
  )
}

interface RepositoryFileProps extends FileProps {
  /** Left out where the folder has none. */
  readonly file: RepositoryPolicyState | undefined
  /** The folders that sessions run in, and the one whose file is shown. */
  readonly folders: readonly string[]
  readonly folder: string
  onFolder(folder: string): void
}

/** The policy file that a repository brings along. It can only make things stricter. */
export function RepositoryFile({ file, folders, folder, onFolder, ...shown }: RepositoryFileProps) {
  const { path, rules = [], ignored = [], error } = file ?? {}
  return (
    <FileSection title="Policy file of a repository" path={path} rules={rules} {...shown}>
      <p className="text-[13px] text-quiet">
        A repository can bring its own rules in <code className="font-mono text-xs">.holdpoint/policy.json</code>. They
        hold in its folder, and can only ask or deny.
      </p>
      <Field label="Folder" hint={file ? undefined : 'This folder has no policy file of its own.'}>
        {(control) => (
          <select
            {...control}
            value={folder}
            onChange={(event) => onFolder(event.target.value)}
            className={`${INPUT} font-mono`}
          >
            {folders.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        )}
      </Field>
      {error !== undefined && (
        <Notice tone="deny" icon={TriangleAlert} role="alert">
          The policy file of this repository cannot be read: <VisibleText text={error} /> Until it can, every call in
          the folder asks.
        </Notice>
      )}
      {ignored.length > 0 && (
        <Notice>
          {count(ignored.length, 'rule')} of this file would allow something, and{' '}
          {ignored.length === 1 ? 'has' : 'have'} no effect:
          <span className="block font-mono text-xs wrap-anywhere">
            <VisibleText text={ignored.join('\n')} code multiline />
          </span>
        </Notice>
      )}
    </FileSection>
  )
}

interface FileSectionProps extends FileProps {
  readonly title: string
  readonly path: string | undefined
  readonly rules: readonly PolicyRule[]
  readonly children: ReactNode
}

function FileSection({ title, path, rules, wanted, warnings, children }: FileSectionProps) {
  const lines = ruleGroups(rules, [], wanted, () => undefined).flatMap((group) => group.rules)
  return (
    <section aria-label={title} className="rounded-xl border border-line bg-card shadow-card">
      <div className="flex flex-col gap-3 p-4 sm:p-5">
        <div>
          <h2 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
            <VisibleText text={title} />
            {rules.length > 0 && (
              <span className="text-xs font-normal text-nowrap text-quiet">
                {count(rules.length, 'rule')}, read-only
              </span>
            )}
          </h2>
          {path !== undefined && (
            <p className="mt-1 font-mono text-xs text-quiet wrap-anywhere">
              <VisibleText text={path} code />
            </p>
          )}
        </div>
        {children}
      </div>
      {lines.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {lines.map(
            ({ kind, id, rule }) =>
              kind === 'rule' && (
                <FileRuleLine key={id} rule={rule} warning={warnings.find((each) => each.rule === id)?.text} />
              ),
          )}
        </ul>
      )}
    </section>
  )
}
