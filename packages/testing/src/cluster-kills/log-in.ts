import type { Device } from '@holdpoint/schema/device'
import type { Role } from '@holdpoint/schema/outcome'
import { type ApiClient, apiClient } from '../api-client.ts'

/** A credential of its own, for all gateways. */
export async function logIn(api: ApiClient, role: Role): Promise<{ readonly device: Device; readonly token: string }> {
  const { code } = await api.ok<{ code: string }>('POST', '/api/pairings', { role })
  return await apiClient(api.url).ok('POST', '/api/login', { code, name: role, bearer: true })
}
