import { render } from '@holdpoint/core/text/visible-text'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Folder } from 'lucide-react'
import { type Ref, useCallback } from 'react'
import { machineName } from '../machines/machine-words.ts'
import { Combobox } from '../parts/combobox.tsx'
import { Field } from '../parts/field.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { isPath, recentLike, shortNames } from './folder-options.ts'
import type { FolderCheck } from './use-folder.ts'
import { useFoldersLike } from './use-folders-like.ts'

/** The others are found by a part of their names. */
const RECENT_AS_BUTTONS = 5

export interface FolderFieldProps {
  readonly typed: string
  readonly check: FolderCheck
  /** Where the folder is, where there are several machines. */
  readonly machine?: KnownMachine | undefined
  /** The gateway's own refusal of this folder. */
  readonly refused?: string | undefined
  readonly ref?: Ref<HTMLInputElement>
  onChange(typed: string): void
}

/** A folder by its path, which is completed as it is typed, or one that was used lately. */
export function FolderField({ typed, check, machine, refused, ref, onChange }: FolderFieldProps) {
  const client = useClient()
  const node = machine?.id
  const where = machine ? machineName(machine) : 'the machine where the gateway runs'
  const { remote } = useRemote(useCallback(() => client.folders(undefined, node), [client, node]))
  const recent = remote.state === 'ready' ? remote.value.recent.map(({ path }) => path) : []
  const like = useFoldersLike(typed, node)
  const isTypingPath = isPath(typed)
  const found = isTypingPath ? (like?.folders ?? []) : recentLike(typed, recent)
  return (
    <div>
      <Field
        label="Folder"
        hint={hintOf(check, where)}
        failure={refused ?? (found.length > 0 ? undefined : failureOf(check, where))}
      >
        {(control) => (
          <Combobox
            control={control}
            ref={ref}
            value={typed}
            options={found.map((path) => ({ value: path, label: <Path path={path} /> }))}
            takesFirst={typed !== '' && !typed.endsWith('/')}
            label={isTypingPath ? 'Folders' : 'Recent folders'}
            note={isTypingPath && like?.more ? 'There are more. Type more of the name.' : undefined}
            onChange={onChange}
            onPick={(path) => {
              // Of a path the next part is offered at once.
              onChange(isTypingPath ? `${path}/` : path)
              return isTypingPath
            }}
            placeholder="~/project"
            className="font-mono pointer-fine:text-[13px]"
          />
        )}
      </Field>
      {recent.length > 0 && (
        <ul aria-label="Recent folders" className="mt-1 flex flex-wrap gap-2">
          {shortNames(recent)
            .slice(0, RECENT_AS_BUTTONS)
            .map((name, index) => (
              <RecentFolder
                key={recent[index]}
                name={name}
                path={recent[index] ?? ''}
                isChosen={typed === recent[index]}
                onChoose={onChange}
              />
            ))}
        </ul>
      )}
    </div>
  )
}

function Path({ path }: { path: string }) {
  return (
    <>
      <Folder aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="min-w-0 py-1 font-mono text-[13px]">
        <VisibleText text={path} code />
      </span>
    </>
  )
}

interface RecentFolderProps {
  readonly name: string
  readonly path: string
  readonly isChosen: boolean
  onChoose(path: string): void
}

function RecentFolder({ name, path, isChosen, onChoose }: RecentFolderProps) {
  return (
    <li className="min-w-0">
      <button
        type="button"
        title={render(path)}
        aria-pressed={isChosen}
        onClick={() => onChoose(path)}
        className="flex min-h-11 max-w-full items-center gap-1.5 rounded-lg border border-line bg-card px-2.5 text-[13px] hover:border-edge focus-visible:outline-2 focus-visible:outline-accent aria-pressed:border-accent aria-pressed:bg-accent-bg pointer-fine:min-h-8"
      >
        <Folder aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="truncate">
          <VisibleText text={name} code />
        </span>
      </button>
    </li>
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
