import { folderName } from '@holdpoint/core/text/folder-name'
import { render } from '@holdpoint/core/text/visible-text'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Folder } from 'lucide-react'
import { useCallback } from 'react'
import { machineName } from '../machines/machine-words.ts'
import { Field, INPUT } from '../parts/field.tsx'
import { useRemote } from '../parts/use-remote.ts'
import type { FolderCheck } from './use-folder.ts'

export interface FolderFieldProps {
  readonly typed: string
  readonly check: FolderCheck
  /** Where the folder is, where there are several machines. */
  readonly machine?: KnownMachine | undefined
  /** The gateway's own refusal of this folder. */
  readonly refused?: string | undefined
  onChange(typed: string): void
}

export function FolderField({ typed, check, machine, refused, onChange }: FolderFieldProps) {
  const client = useClient()
  const node = machine?.id
  const where = machine ? machineName(machine) : 'the machine where the gateway runs'
  const { remote } = useRemote(useCallback(() => client.folders(undefined, node), [client, node]))
  const recent = remote.state === 'ready' ? remote.value.recent : []
  return (
    <div>
      <Field label="Folder" hint={hintOf(check, where)} failure={refused ?? failureOf(check, where)}>
        {(control) => (
          <input
            {...control}
            value={typed}
            onChange={(event) => onChange(event.target.value)}
            placeholder="/home/you/project"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className={`${INPUT} font-mono pointer-fine:text-[13px]`}
          />
        )}
      </Field>
      {recent.length > 0 && (
        <ul aria-label="Recent folders" className="mt-1 flex flex-wrap gap-2">
          {recent.map(({ path }) => (
            <li key={path} className="min-w-0">
              <button
                type="button"
                title={render(path)}
                aria-pressed={typed === path}
                onClick={() => onChange(path)}
                className="flex min-h-11 max-w-full items-center gap-1.5 rounded-lg border border-line bg-card px-2.5 text-[13px] hover:border-edge focus-visible:outline-2 focus-visible:outline-accent aria-pressed:border-accent aria-pressed:bg-accent-bg pointer-fine:min-h-8"
              >
                <Folder aria-hidden className="size-3.5 shrink-0 text-faint" />
                <span className="truncate">
                  <VisibleText text={folderName(path)} code />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function hintOf(check: FolderCheck, where: string): string {
  if (check.state === 'checking') return 'Checking…'
  if (check.state === 'found' && check.trust?.state === 'changed') return `${check.path}, changed since it was trusted`
  if (check.state === 'found') return check.trusted ? `${check.path}, trusted` : check.path
  return `On ${where}. ~ is the home folder there.`
}

function failureOf(check: FolderCheck, where: string): string | undefined {
  if (check.state === 'missing') return `This folder does not exist on ${where}.`
  return check.state === 'failed' ? check.message : undefined
}
