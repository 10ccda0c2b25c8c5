import { credentialContract, openTestGateway, transportContract } from '@holdpoint/testing/transport-contract'
import { WAYS } from './fixtures/clients.ts'

for (const [name, reach] of Object.entries(WAYS)) {
  transportContract(name, () => openTestGateway(reach))
  credentialContract(name, reach)
}
