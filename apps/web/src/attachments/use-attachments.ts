import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { MAX_ATTACHMENTS } from '@holdpoint/schema/attachment-limits'
import type { AttachmentId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { admit } from './attachment-rules.ts'

export interface Attached {
  readonly key: number
  readonly name: string
  readonly type: string
  /** Missing while it is on its way to the gateway. */
  readonly id?: AttachmentId
}

let keys = 0

/** Files on their way to the agent. */
export function useAttachments() {
  const client = useClient()
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const [failures, setFailures] = useState<readonly string[]>([])

  function add(files: Iterable<File>) {
    setFailures([])
    let free = MAX_ATTACHMENTS - attached.length
    for (const file of files) {
      const admitted = admit(file)
      if (!admitted.ok) fail(admitted.message)
      else if (free-- <= 0) fail(`${file.name}: at most ${MAX_ATTACHMENTS} files can be attached to one message.`)
      else void upload(file, admitted.type)
    }
  }

  async function upload(file: File, type: string) {
    keys += 1
    const key = keys
    setAttached((all) => [...all, { key, name: file.name || 'Pasted picture', type }])
    const result = await settle(client.upload(file.type === type ? file : new Blob([file], { type })))
    if (result.ok) {
      setAttached((all) => all.map((one) => (one.key === key ? { ...one, id: result.value.id } : one)))
    } else {
      fail(`${file.name}: ${result.message}`)
      remove(key)
    }
  }

  function fail(message: string) {
    setFailures((all) => [...all, message])
  }

  function remove(key: number) {
    setAttached((all) => all.filter((one) => one.key !== key))
  }

  return {
    attached,
    failures,
    /** Some are still on their way. */
    busy: attached.some(({ id }) => id === undefined),
    ids: attached.flatMap(({ id }) => (id === undefined ? [] : [id])),
    add,
    remove,
    /** Takes all of them away, to be sent. */
    take(): readonly Attached[] {
      setAttached([])
      setFailures([])
      return attached
    },
    putBack(taken: readonly Attached[]) {
      setAttached((added) => [...taken, ...added])
    },
  }
}
export type Attachments = ReturnType<typeof useAttachments>
