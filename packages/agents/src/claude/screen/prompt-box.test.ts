import { describe, expect, it } from 'vitest'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { markerMessage } from './marker.ts'
import { readPromptBox, whyNotNow } from './prompt-box.ts'

const box = (name: string) => readPromptBox(recordedScreen(name))

describe('readPromptBox', () => {
  it('reads what is written in it, over several lines too', () => {
    expect(box('idle')).toEqual({ text: '', isWorking: false })
    expect(box('prompt-queued')).toEqual({ text: 'queued text', isWorking: true })
    const marker = 'abcdefab-cdef-abcd-efab-cdefabcdefab'
    for (const name of ['prompt-marker', 'prompt-narrow-marker']) {
      expect(box(name)?.text).toMatch(new RegExp(`^A marker from Holdpoint, .*: ${marker}$`))
    }
  })

  it('knows when Claude Code is at work, also where there is no room to say so below', () => {
    expect(box('prompt-working')?.isWorking).toBe(true)
    expect(box('prompt-sent')?.isWorking).toBe(true)
    const cut = recordedScreen('prompt-working').map((line) => line.replace(/ · esc to interrupt.*$/, ''))
    expect(readPromptBox(cut)?.isWorking).toBe(true)
    // Seen for a moment before a dialog is drawn.
    const asking = recordedScreen('idle').flatMap((line) =>
      line.endsWith('/effort') ? [line, '  Waiting for permission…'] : [line],
    )
    expect(readPromptBox(asking)?.isWorking).toBe(true)
    expect(box('prompt-narrow')?.isWorking).toBe(false)
    // Said earlier, and over by now.
    expect(recordedScreen('subagent-done').join('\n')).toContain('Waiting for 1 background agent')
    expect(box('subagent-done')?.isWorking).toBe(false)
  })

  it('finds none where something else is in front', () => {
    for (const name of ['bash', 'write', 'fetch', 'plan', 'question-plain', 'question-review', 'mcp', 'subagent']) {
      expect(box(name), name).toBeUndefined()
    }
    for (const name of ['settings', 'prompt-shell', 'prompt-help']) expect(box(name), name).toBeUndefined()
    expect(readPromptBox([])).toBeUndefined()
    expect(readPromptBox(['user@host:~$ '])).toBeUndefined()
  })

  it('finds none in text that looks like one, above a shell’s prompt', () => {
    const screen = recordedScreen('idle').filter((line) => line.trim() !== '')
    expect(readPromptBox([...screen, 'user@host:~$ ls'])).toBeUndefined()
  })

  it('finds none that was cut off in the middle of being drawn', () => {
    const screen = recordedScreen('idle')
    const bottom = screen.findLastIndex((line) => line.trim() !== '')
    for (let line = 0; line <= bottom; line++) {
      expect(readPromptBox([...screen.slice(0, line), ...screen.slice(line).map(() => '')])).toBeUndefined()
    }
  })
})

describe('whether anything may be typed', () => {
  it('only into an empty prompt of Claude Code that waits', () => {
    for (const name of ['idle', 'cleared', 'prompt-narrow', 'subagent-done']) {
      expect(whyNotNow(recordedScreen(name)), name).toBeUndefined()
    }
  })

  it.each([
    ['bash', 'dialog'],
    ['mcp', 'dialog'],
    ['subagent', 'dialog'],
    ['question-multi', 'dialog'],
    ['plan', 'dialog'],
    ['settings', 'no_prompt'],
    ['prompt-shell', 'no_prompt'],
    ['prompt-help', 'no_prompt'],
    ['prompt-working', 'working'],
    ['prompt-queued', 'working'],
    ['prompt-menu', 'written'],
    ['prompt-marker', 'written'],
  ])('not where the screen is %s: %s', (name, why) => {
    expect(whyNotNow(recordedScreen(name))).toBe(why)
  })
})

describe('what is typed', () => {
  it('holds nothing that chooses an option in a dialog, leaves the line, or is a command', () => {
    const message = markerMessage('abcdefab-cdef-abcd-efab-cdefabcdefab')
    expect(message).toMatch(/^[A-Za-z][A-Za-z ,:.-]*$/)
  })
})
