import { describe, expect, it } from 'vitest'
import { attachTo, detachFrom } from './change-settings.ts'
import { SETTINGS_TEXTS } from './fixtures/settings-texts.ts'
import { wantedHooks } from './hook-entries.ts'
import { othersThatDecide, settingsSummary } from './settings-summary.ts'

const PROGRAM = { node: '/usr/bin/node', hookMain: "/opt/o'neil/hook.sh", dataDir: '/home/me/data' }
const WANTED = wantedHooks(PROGRAM, 'ask-here')
const NEXT = wantedHooks({ ...PROGRAM, hookMain: '/opt/next/hook.sh' }, 'deny')
const EVENTS = [...WANTED.keys()]

function attached(text: string | undefined, wanted = WANTED): string | undefined {
  return attachTo({ path: 's.json', target: '/s.json', bytes: undefined, mark: '', text }, wanted, undefined).text
}

function words(before: string | undefined, after: string | undefined): string {
  const lines = settingsSummary('/home/me/settings.json', before, after)
  if (!lines) throw new Error('there is no summary')
  return lines.join('\n').replaceAll(/\s+/g, ' ')
}

describe.each(Object.entries(SETTINGS_TEXTS))('of %s', (_name, whole) => {
  const text = whole.replace('\uFEFF', '')

  it('tells every event that gets a hook, and everything that stays', () => {
    const told = words(text, attached(text))
    expect(told).toContain(`Changes /home/me/settings.json: adds ${EVENTS.length} hooks of Holdpoint`)
    for (const event of EVENTS) expect(told).toContain(event)
    for (const name of Object.keys(JSON.parse(text))) if (name !== 'hooks') expect(told).toContain(name)
    expect(told).toContain("They run /opt/o'neil/hook.sh for the gateway on /home/me/data.")
  })

  it('tells what goes again', () => {
    const after = attached(text)
    expect(words(after, detachFrom(after ?? '', undefined))).toContain(`removes ${EVENTS.length} hooks of Holdpoint`)
  })
})

it('is short, however much is in the file', () => {
  const text = SETTINGS_TEXTS["other programs' hooks"]
  const lines = settingsSummary('/s.json', text, attached(text)) ?? []
  expect(lines.length).toBeLessThan(13)
  expect(lines.filter((line) => line.length > 76)).toEqual([])
  const kept = lines.slice(-2).join('\n')
  expect(kept.replaceAll(/\s+/g, ' ')).toContain(
    'statusLine, 4 hooks of your own (PermissionRequest, PreToolUse, Stop)',
  )
})

it('tells a file that is made, one that goes, and hooks that make way', () => {
  const made = attached(undefined)
  expect(words(undefined, made)).toContain('Creates /home/me/settings.json: adds')
  expect(words(made, undefined)).toContain('Removes, because nothing else is in it, /home/me/settings.json: removes')
  const told = words(made, attached(made, NEXT))
  expect(told).toContain(`removes ${EVENTS.length} hooks that were added before: PermissionRequest, PreToolUse`)
  expect(told).toContain('They run /opt/next/hook.sh')
  expect(told).toContain('without a gateway every call is denied')
  expect(words(undefined, made)).toContain('without a gateway terminals work as before')
})

it.each([
  ['another value', '{"model":"opus"}', '{"model":"haiku"}'],
  ['another setting', '{}', '{"model":"opus"}'],
  ["another program's hook", '{}', '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'],
  ['less', '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}', '{}'],
])('is none where the change comes to %s as well', (_name, before, after) => {
  expect(settingsSummary('/s.json', before, attached(after))).toBeUndefined()
})

it('names the events whose other hooks could answer for a person', () => {
  expect(othersThatDecide(attached(SETTINGS_TEXTS["other programs' hooks"]))).toEqual([
    'PreToolUse',
    'PermissionRequest',
  ])
  expect(othersThatDecide(attached('{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'))).toEqual([])
})

it('prints nothing raw that an agent may have written into the file', () => {
  const text = JSON.stringify({ 'a\u001b[2J': 1, 'b\u202e': 2 })
  expect(words(text, attached(text))).toContain('a⟨U+001B⟩[2J, b⟨U+202E⟩')
})
