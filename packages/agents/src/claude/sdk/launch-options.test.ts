import type { HookInput } from '@anthropic-ai/claude-agent-sdk'
import type { DriverStart } from '@holdpoint/core/driver'
import { expect, it } from 'vitest'
import { launchOptions } from './launch-options.ts'

const start = { cwd: '/home/dev/app', permissionMode: 'default', trusted: true, gate: 'default' } as DriverStart
const { hooks } = launchOptions(
  start,
  { env: {} },
  { preToolUse: async () => ({}), permissionDenied: async () => ({}), ran: () => {} },
)

it.each(['user_settings', 'project_settings', 'local_settings', 'skills'] as const)(
  'T34 an agent that runs loads no changed settings: %s',
  async (source) => {
    const [matcher] = hooks?.ConfigChange ?? []
    expect(matcher?.onFailure).toBe('block')
    const input = { hook_event_name: 'ConfigChange', source } as HookInput
    const said = await matcher?.hooks[0]?.(input, undefined, { signal: new AbortController().signal })
    expect(said).toMatchObject({ decision: 'block' })
  },
)
