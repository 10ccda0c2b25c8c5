import { type HookCallback, type Options, query } from '@anthropic-ai/claude-agent-sdk'
import { claudeEnvironment, messageQueue, userMessage } from '@holdpoint/testing/real-claude'
import { serveCommands } from './commands.ts'
import type { FloorCallbacks } from './real-agent.ts'

interface Start {
  readonly cwd: string
  readonly home: string
  readonly modelUrl: string
  readonly callbacks: FloorCallbacks
}

const sayNothing: HookCallback = async () => ({})
const allow: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
})
/** The hooks that the gateway registers around a call. */
const hooksWith = (before: HookCallback): Options['hooks'] => ({
  PreToolUse: [{ hooks: [before] }],
  PostToolUse: [{ hooks: [sayNothing] }],
  PostToolUseFailure: [{ hooks: [sayNothing] }],
})
const HOOKS: Record<FloorCallbacks, Options['hooks']> = {
  same: hooksWith(sayNothing),
  hook: hooksWith(allow),
  ask: {},
}

let running: { stop(): Promise<void> } | undefined

serveCommands(
  {
    /** The agent as the gateway launches it, without the gateway: the callbacks say yes, or nothing, at once. */
    start({ cwd, home, modelUrl, callbacks }: Start) {
      const input = messageQueue()
      input.push(userMessage('go'))
      const session = query({
        prompt: input,
        options: {
          cwd,
          env: claudeEnvironment({ home, url: modelUrl }),
          permissionMode: 'default',
          settingSources: ['user'],
          strictMcpConfig: true,
          includePartialMessages: true,
          hooks: HOOKS[callbacks],
          canUseTool: async (_, toolInput) => ({ behavior: 'allow', updatedInput: toolInput }),
        },
      })
      const over = (async () => {
        for await (const _ of session) {
        }
      })().catch(() => {})
      running = {
        async stop() {
          input.end()
          session.close()
          await over
        },
      }
    },
    stop: () => running?.stop(),
    close: () => running?.stop(),
  },
  {},
)
