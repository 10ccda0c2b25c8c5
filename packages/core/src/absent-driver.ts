import { type AgentDriver, DriverError } from './driver.ts'

/** For a session of an agent that this gateway does not know any more. */
export function missingDriver(agent: string): AgentDriver {
  return {
    agent,
    start: () => Promise.reject(new DriverError('unknown-agent', `This gateway cannot run "${agent}" agents.`)),
  }
}

/** For an embedded session that an earlier gateway had: its agent went with the program around it. */
export function goneDriver(agent: string): AgentDriver {
  const message =
    'The program in which this agent ran has ended, and the agent with it. That program can resume the session.'
  return { agent, start: () => Promise.reject(new DriverError('agent-gone', message)) }
}
