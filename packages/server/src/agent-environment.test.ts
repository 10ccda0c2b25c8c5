import { expect, it } from 'vitest'
import { agentEnvironment } from './start-gateway.ts'

it('T66 gives agents nothing of the project that npx was called in, and no secret of ours', () => {
  const environment = {
    HOME: '/home/a',
    HOLDPOINT_TOKEN: 'secret',
    npm_config_script_shell: './evil',
    INIT_CWD: '/clone',
    PATH: '/clone/node_modules/.bin:./bin:/usr/local/bin:/usr/bin',
  }
  expect(agentEnvironment(environment)).toEqual({ HOME: '/home/a', PATH: '/usr/local/bin:/usr/bin' })
  expect(agentEnvironment({ PATH: '/clone/node_modules/.bin' })).toEqual({ PATH: '/usr/bin:/bin' })
  expect(agentEnvironment({ NODE_OPTIONS: '-r ./x', npm_config_node_options: '-r ./x' })).toEqual({})
  expect(agentEnvironment({ NODE_OPTIONS: '-r ./x' })).toEqual({ NODE_OPTIONS: '-r ./x' })
})
