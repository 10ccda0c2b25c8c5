import { StartSession } from '@holdpoint/schema/session'
import { report } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Hook } from './claude/attached/hook-call.ts'
import { claudeLaunch } from './claude/screen/claude-launch.ts'

const OPTIONS = [
  '-',
  '--',
  '-p',
  '-r',
  '--dangerously-skip-permissions',
  '--settings={"hooks":{}}',
  '--mcp-config',
  '-c',
]
const optionLike = fc.oneof(
  fc.constantFrom(...OPTIONS),
  fc.tuple(fc.constantFrom('-', '--', '---'), fc.string({ maxLength: 40 })).map((parts) => parts.join('')),
  fc.stringMatching(/^-[A-Za-z0-9-]{0,63}$/),
)

it('T55 takes no id and no model name that an agent could take for an option', () => {
  let count = 0
  fc.assert(
    fc.property(optionLike, (word) => {
      count++
      expect(StartSession.safeParse({ resumeTranscript: word }).success).toBe(false)
      expect(StartSession.safeParse({ model: word }).success).toBe(false)
      expect(StartSession.safeParse({ resume: word }).success).toBe(false)
      expect(Hook.safeParse({ session_id: word, hook_event_name: 'Stop', cwd: '/' }).success).toBe(false)
      // And one that is on record from before goes in as a value.
      const { args } = claudeLaunch(['--model', 'opus'], word)
      expect(args).toEqual(['--model', 'opus', `--resume=${word}`])
    }),
    { numRuns: 500 },
  )
  for (const model of ['opus', 'claude-opus-5-5[1m]', 'us.anthropic.claude:0', 'arn:aws:bedrock:x/y'])
    expect(StartSession.safeParse({ model }).success, model).toBe(true)
  for (const resumeTranscript of ['a3c1d89d-ed19-4626-8949-f813dc008303', '0'])
    expect(StartSession.safeParse({ resumeTranscript }).success).toBe(true)
  report(`T55: ${count} words that look like options`)
})
