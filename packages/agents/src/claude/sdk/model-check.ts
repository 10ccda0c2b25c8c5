import type { ModelInfo, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { AgentEvent } from '@holdpoint/core/driver'

/**
 * Compares, in the first turn of a conversation that goes on, the model that works with the one that was set, and tells people
 * where they differ. Claude Code takes up another one without a word, for example in place of one that is no longer offered.
 */
export function createModelCheck(options: {
  /** What is set now; undefined where nothing is. */
  readonly wanted: () => string | undefined
  readonly models: () => Promise<readonly ModelInfo[]>
}) {
  let isDone = false
  return async (message: SDKMessage): Promise<AgentEvent[]> => {
    if (isDone || message.type !== 'system' || message.subtype !== 'init') return []
    isDone = true
    const wanted = options.wanted()
    if (wanted === undefined || wanted === message.model) return []
    const models = await options.models().catch(() => [])
    if (models.find(({ value }) => value === wanted)?.resolvedModel === message.model) return []
    const text = `This conversation goes on with the model ${message.model}: Claude Code did not take up ${wanted}. Choose another model if you want one.`
    return [{ type: 'item', item: { type: 'notice', level: 'error', text } }]
  }
}
