import { expect, it } from 'vitest'
import type { HostAgent } from '../../host/client/host-agent.ts'
import { createHostedProcess } from './hosted-process.ts'

const answerTo = (id: string) =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id, response: {} } })

it('hands on what the SDK says, but no answer to a request that the host has answered', () => {
  const hosted = createHostedProcess((error) => {
    throw error
  })
  const written: string[] = []
  const agent = {
    write: async (line: string) => {
      written.push(line)
      return { dropped: false }
    },
  }
  hosted.connect(agent as unknown as HostAgent)
  hosted.answered('report')
  const prompt = JSON.stringify({ type: 'user', uuid: 'report' })
  for (const line of [answerTo('ask'), prompt, answerTo('report'), answerTo('another')])
    hosted.process.stdin.write(`${line}\n`)
  expect(written).toEqual([answerTo('ask'), prompt, answerTo('another')])
})
