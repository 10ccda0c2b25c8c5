import { LONG, report } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachedTo, attachTo, detachFrom, isAttached } from './change-settings.ts'
import { SETTINGS_TEXTS } from './fixtures/settings-texts.ts'
import { wantedHooks } from './hook-entries.ts'
import type { SettingsEdit } from './remove-hooks.ts'
import type { SettingsFile } from './settings-file.ts'

const WANTED = wantedHooks(
  { node: '/usr/bin/node', hookMain: '/opt/hp/hook.sh', dataDir: "/home/o'neil/data" },
  'ask-here',
)
const NEXT = wantedHooks({ node: '/opt/node/bin/node', hookMain: '/opt/hp2/hook.sh', dataDir: '/other "data"' }, 'deny')

function file(whole: string | undefined): SettingsFile {
  const mark = whole?.startsWith('\uFEFF') ? '\uFEFF' : ''
  return { path: 's.json', target: '/s.json', bytes: undefined, mark, text: whole?.slice(mark.length) }
}

function attached(text: string | undefined, command = WANTED, before?: SettingsEdit) {
  const change = attachTo(file(text), command, before)
  if (change.text === undefined) throw new Error('attaching never removes a file')
  return { text: change.text, attachment: change.attachment }
}

const without = (text: string) => file(text).text

describe.each(Object.entries(SETTINGS_TEXTS))('%s', (_name, whole) => {
  it('keeps every byte, has the hooks, and comes back as it was', () => {
    const { text, attachment } = attached(whole)
    expect(isAttached(text, WANTED)).toBe(true)
    expect(isAttached(text, NEXT)).toBe(false)
    expect(attachedTo(text)).toEqual({ data: "/home/o'neil/data", whenStopped: 'ask-here' })
    const { hooks: before = {}, ...rest } = JSON.parse(without(whole) ?? '')
    const { hooks, ...restNow } = JSON.parse(text)
    expect(JSON.stringify(restNow)).toBe(JSON.stringify(rest))
    for (const [event, entry] of WANTED) expect(hooks[event]).toEqual([...(before[event] ?? []), entry])
    for (const event of Object.keys(before)) expect(hooks[event].slice(0, before[event].length)).toEqual(before[event])
    expect(detachFrom(text, attachment)).toBe(without(whole))
  })

  it('writes lines the way the file does', () => {
    const { text } = attached(whole)
    if (whole.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    else expect(text).not.toContain('\r')
    if (!/\n/.test(whole.trim()) && /[^{}\s\uFEFF]/.test(whole) && !whole.includes('\n'))
      expect(text).not.toContain('\n')
  })

  it('takes the hooks of another Holdpoint out for its own, and still comes back as it was', () => {
    const first = attached(whole)
    const second = attached(first.text, NEXT, first.attachment)
    expect(isAttached(second.text, NEXT)).toBe(true)
    expect(second.text).not.toContain('/opt/hp/')
    expect(detachFrom(second.text, second.attachment)).toBe(without(whole))
  })

  it('leaves nothing of ours and all of theirs when nobody knows any more what was done', () => {
    const { text } = attached(whole)
    const left = detachFrom(text, undefined) ?? ''
    expect(left).not.toContain(': holdpoint;')
    const tidy = (text: string) => {
      const { hooks = {}, ...rest } = JSON.parse(text) as { hooks?: Record<string, unknown[]> }
      return JSON.stringify({
        ...rest,
        hooks: Object.fromEntries(Object.entries(hooks).filter(([, list]) => list.length)),
      })
    }
    expect(tidy(left)).toBe(tidy(without(whole) ?? ''))
  })
})

describe('no file', () => {
  it('becomes one, and none again', () => {
    const { text, attachment } = attached(undefined)
    expect(text).toMatch(/^\{\n {2}"hooks": \{\n {4}"PermissionRequest": \[\n[\s\S]*\n\}\n$/)
    expect(detachFrom(text, attachment)).toBeUndefined()
    const rewritten = JSON.stringify(JSON.parse(text))
    expect(detachFrom(rewritten, attachment)).toBeUndefined()
    const next = attached(text, NEXT, attachment)
    expect(detachFrom(next.text, next.attachment)).toBeUndefined()
  })

  it('stays one when something was added to it since', () => {
    const { text, attachment } = attached(undefined)
    const edited = text.replace('{\n', '{\n  "model": "opus",\n')
    expect(JSON.parse(detachFrom(edited, attachment) ?? '')).toEqual({ model: 'opus' })
  })

  it('is not what an empty file of the user is, made after ours was gone', () => {
    const { attachment } = attached(undefined)
    const again = attached('{}', WANTED, attachment)
    expect(detachFrom(again.text, again.attachment)).toBe('{}')
  })
})

describe('a file that was edited since', () => {
  const whole = SETTINGS_TEXTS['two spaces'] ?? ''

  it.each([
    ['before', (text: string) => text.replace('"model": "opus"', '"model":   "sonnet"')],
    ['after', (text: string) => `${text.trimEnd()}\n\n\n`],
  ])('keeps the edit %s ours to the byte', (_where, edit) => {
    const { text, attachment } = attached(whole)
    expect(detachFrom(edit(text), attachment)).toBe(edit(whole))
  })

  it('keeps a hook that somebody put beside ours', () => {
    const { text, attachment } = attached('{}')
    const settings = JSON.parse(text)
    const theirs = { type: 'command', command: 'true' }
    settings.hooks.Stop[0].hooks.push(theirs)
    settings.hooks.PermissionRequest[0].matcher = 'Bash'
    settings.hooks.SessionEnd[0].hooks[0].timeout = 1
    const left = JSON.parse(detachFrom(JSON.stringify(settings, null, 3), attachment) ?? '')
    expect(left).toEqual({ hooks: { Stop: [{ hooks: [theirs] }] } })
  })

  it('is attached anew when one of the hooks is missing or changed', () => {
    const { text, attachment } = attached(whole)
    const settings = JSON.parse(text)
    delete settings.hooks.Stop
    settings.hooks.PermissionRequest[0].hooks[0].timeout = 60
    const edited = JSON.stringify(settings, null, 2)
    expect(isAttached(edited, WANTED)).toBe(false)
    const again = attached(edited, WANTED, attachment)
    expect(isAttached(again.text, WANTED)).toBe(true)
  })
})

describe('a file with something else where hooks go', () => {
  it.each([
    ['[]', 'it is not an object'],
    ['"words"', 'it is not an object'],
    ['{"hooks":[]}', '"hooks" is not an object'],
    ['{"hooks":null}', '"hooks" is not an object'],
    ['{"hooks":{"Stop":{}}}', '"hooks.Stop" is not a list'],
    ['{"hooks":{"Stop":[],"Stop":null}}', '"hooks.Stop" is not a list'],
  ])('%s is left alone', (text, why) => {
    expect(() => attached(text)).toThrow(`s.json was not changed: ${why}`)
    expect(attachedTo(text)).toBeUndefined()
    expect(detachFrom(text, undefined)).toBe(text)
  })

  it.each(['{"hooks":{"Stop":[1,null,"x",[],{"hooks":7},{"hooks":[null,3,{"command":5}]}]}}'])(
    'what is no hook is passed over: %s',
    (text) => {
      const change = attached(text)
      expect(detachFrom(change.text, change.attachment)).toBe(text)
    },
  )
})

it('comes back as it was from any settings, in any layout', () => {
  const runs = LONG ? 1_000 : 100
  const events = fc.constantFrom('PermissionRequest', 'Stop', 'SessionStart', 'PreToolUse')
  const hook = fc.record({ type: fc.constant('command'), command: fc.string() })
  const entry = fc.record({ matcher: fc.string(), hooks: fc.array(hook, { maxLength: 2 }) })
  const settings = fc.record(
    { model: fc.string(), any: fc.jsonValue(), hooks: fc.dictionary(events, fc.array(entry, { maxLength: 2 })) },
    { requiredKeys: [] },
  )
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r\n'), maxLength: 3 })
  fc.assert(
    fc.property(settings, fc.array(space, { minLength: 1, maxLength: 7 }), (value, spaces) => {
      const text = laidOut(JSON.stringify(value), spaces)
      const { text: now, attachment } = attached(text)
      expect(isAttached(now, WANTED)).toBe(true)
      expect(detachFrom(now, attachment)).toBe(text)
      expect(() => JSON.parse(detachFrom(now, undefined) ?? '')).not.toThrow()
    }),
    { numRuns: runs },
  )
  report(`attach: ${runs} settings`)
})

/** The same JSON with these spaces around its signs, in turn. */
function laidOut(json: string, spaces: readonly string[]): string {
  let turn = 0
  const space = () => spaces[turn++ % spaces.length] ?? ''
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (sign) =>
    sign.startsWith('"') ? sign : space() + sign + space(),
  )
}
