import { transportContract } from '@holdpoint/testing/transport-contract'
import { WAYS } from './fixtures/clients.ts'

for (const [name, reach] of Object.entries(WAYS)) transportContract(name, reach)
