import { expect, it } from 'vitest'
import { CallFolders } from './call-folders.ts'
import { readControlLine } from './control-line.ts'

/** A hook of the agent, as it comes over the line. */
function hook(event: string, toolUseId: string, cwd = '/w') {
  const input = { hook_event_name: event, tool_use_id: toolUseId, cwd }
  const line = readControlLine({
    type: 'control_request',
    request_id: `${event} ${toolUseId}`,
    request: { subtype: 'hook_callback', input },
  })
  if (!line) throw new Error('not a control line')
  return line
}

it('T62 knows the folder of a call until the call is over, whether it worked or failed', () => {
  const folders = new CallFolders({ before: '/before' })
  folders.fromAgent(hook('PreToolUse', 'works', '/w/a'))
  folders.fromAgent(hook('PreToolUse', 'fails', '/w/b'))
  folders.fromAgent(hook('PreToolUse', 'runs on', '/w/c'))
  expect(folders.snapshot()).toEqual({ before: '/before', works: '/w/a', fails: '/w/b', 'runs on': '/w/c' })
  folders.fromAgent(hook('PostToolUse', 'works'))
  folders.fromAgent(hook('PostToolUseFailure', 'fails'))
  folders.fromAgent(hook('PostToolUse', 'before'))
  expect(folders.snapshot()).toEqual({ 'runs on': '/w/c' })
  expect([folders.of('fails'), folders.of('runs on')]).toEqual([undefined, '/w/c'])
})

it('T62 hears of the folder also with a call that the agent has refused itself', () => {
  const folders = new CallFolders()
  folders.fromAgent(hook('PermissionDenied', 'refused', '/w/a'))
  folders.fromAgent(hook('Stop', 'other', '/w/b'))
  expect(folders.snapshot()).toEqual({ refused: '/w/a' })
})

it('T62 keeps the thousand calls that it heard of last: one that is heard again is new, with its new folder', () => {
  const folders = new CallFolders()
  for (let n = 0; n < 1000; n++) folders.fromAgent(hook('PreToolUse', `call ${n}`, `/w/${n}`))
  folders.fromAgent(hook('PreToolUse', 'call 0', '/w/again'))
  for (let n = 1000; n < 1010; n++) folders.fromAgent(hook('PreToolUse', `call ${n}`, `/w/${n}`))
  expect(Object.keys(folders.snapshot())).toHaveLength(1000)
  expect(folders.of('call 0')).toBe('/w/again')
  for (let n = 1; n <= 10; n++) expect(folders.of(`call ${n}`)).toBeUndefined()
  for (const n of [11, 999, 1009]) expect(folders.of(`call ${n}`)).toBe(`/w/${n}`)
})
