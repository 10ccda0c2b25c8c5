import { createHttpTransport } from '@holdpoint/client/http-transport'
import { callFactsOf } from '@holdpoint/core/call-facts'
import { permissionRequestOf } from '@holdpoint/core/permission-request'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PermissionContext } from '../chat/permission-context.tsx'
import { QuestionPrompt } from '../chat/question-prompt.tsx'
import { ToolApproval } from '../chat/tool-approval.tsx'
import { TransportProvider } from '../providers/transport-provider.tsx'
import { sampleAsk } from '../testing/sample-ask.ts'
import { textOf } from '../testing/text-of.ts'

const ASK = sampleAsk({ raisedBy: 'dev_1', raiser: 'Nightly build', agentSays: 'I am Claude' })
const TRANSPORT = createHttpTransport({ baseUrl: 'http://127.0.0.1', token: 'none' })

it.each([
  ['PermissionContext', <PermissionContext key="" request={permissionRequestOf(ASK)} />],
  [
    'ToolApproval',
    <TransportProvider key="" transport={TRANSPORT}>
      <ToolApproval
        sessionId="ses_1"
        toolCallId="toolu_1"
        toolName="Bash"
        input={JSON.stringify(ASK.tool?.input)}
        facts={callFactsOf(ASK)}
      />
    </TransportProvider>,
  ],
  [
    'QuestionPrompt',
    <TransportProvider key="" transport={TRANSPORT}>
      <QuestionPrompt
        sessionId="ses_1"
        toolCallId="toolu_1"
        questions={[{ header: '', question: 'Which?', options: [{ label: 'This' }], multiSelect: false }]}
        raiser="Nightly build"
      />
    </TransportProvider>,
  ],
])('%s says that a program asks, and which one (T27)', (_, element) => {
  const shown = textOf(renderToStaticMarkup(element))
  expect(shown).toContain('Asked by the program “Nightly build”, not by the agent')
  expect(shown).not.toContain('the agent says')
})
