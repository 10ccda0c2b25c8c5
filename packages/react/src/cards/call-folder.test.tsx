import { createHttpTransport } from '@holdpoint/client/http-transport'
import type { PermissionRequest } from '@holdpoint/core/permission-request'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PermissionContext } from '../chat/permission-context.tsx'
import { ToolApproval } from '../chat/tool-approval.tsx'
import { TransportProvider } from '../providers/transport-provider.tsx'
import { CallFolder } from './call-folder.tsx'

const CWD = '/tmp/evil/acme/app'
const INPUT = { command: './deploy.sh' }
const REQUEST: PermissionRequest = {
  id: 'ask_1',
  sessionId: 'ses_1',
  messageId: 'msg_1',
  tool: 'Bash',
  permission: 'bash',
  input: INPUT,
  patterns: [],
  suggestions: [],
  createdAt: 0,
  metadata: { ...INPUT, cwd: CWD },
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, '')

describe('the folder of a call', () => {
  it.each([
    ['a folder beside no session’s', <CallFolder key="" cwd={CWD} />],
    ['a PermissionContext', <PermissionContext key="" request={REQUEST} />],
    [
      'a ToolApproval',
      <TransportProvider key="" transport={createHttpTransport({ baseUrl: 'http://127.0.0.1', token: 'none' })}>
        <ToolApproval
          sessionId="ses_1"
          toolCallId="toolu_1"
          toolName="Bash"
          input={JSON.stringify(INPUT)}
          facts={{ cwd: CWD }}
        />
      </TransportProvider>,
    ],
  ])('T62 is whole in %s: its last parts may be those of another', (_, element) => {
    expect(textOf(renderToStaticMarkup(element))).toContain(`Folder: ${CWD}`)
  })

  it('is short only where it is the session’s', () => {
    const shown = (sessionCwd: string) => textOf(renderToStaticMarkup(<CallFolder cwd={CWD} sessionCwd={sessionCwd} />))
    expect(shown(CWD)).toBe('Folder: acme/app')
    expect(shown('/home/me/acme/app')).toBe(`${CWD} not the session’s folder`)
  })
})
