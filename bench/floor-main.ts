import { query } from '@anthropic-ai/claude-agent-sdk'
import { claudeEnvironment, messageQueue, userMessage } from '@holdpoint/testing/real-claude'
import { serveCommands } from './commands.ts'

let running: { stop(): Promise<void> } | undefined

serveCommands(
  {
    /** The agent as the gateway launches it, without the gateway: the SDK's own callback says yes at once. */
    start({ cwd, home, modelUrl }: { cwd: string; home: string; modelUrl: string }) {
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
