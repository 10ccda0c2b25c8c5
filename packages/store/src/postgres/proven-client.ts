import { StoreFault } from '@holdpoint/core/store'
import pg from 'pg'
import { addressName, type PostgresAddress, passwordFromFile } from './address.ts'

/**
 * A client for this server. Without TLS, any user of the machine can listen at the port while the server is down: so no
 * password is sent as it is or as MD5, and where there is one the server has to prove that it knows it, too (SCRAM).
 */
export function provenClient(address: PostgresAddress): typeof pg.Client {
  if (address.tls) return pg.Client

  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super(config)
      const { connection } = this as unknown as { connection: pg.Connection }
      let isProven = false
      const refuse = (problem: string) => {
        // It may have come with what is refused.
        connection.removeAllListeners('readyForQuery')
        connection.stream.destroy(new StoreFault('io', `${problem} ${ADVICE} (${addressName(address)})`))
      }
      connection.on('authenticationCleartextPassword', () => refuse(WANTS_IT))
      connection.on('authenticationMD5Password', () => refuse(WANTS_IT))
      connection.on('authenticationSASLFinal', () => {
        isProven = true
      })
      connection.on('authenticationOk', () => {
        const password = address.password ?? passwordFromFile(address)
        if (!isProven && password !== undefined && !address.host.startsWith('/')) refuse(TAKES_NONE)
      })
    }
  } as typeof pg.Client
}

const WANTS_IT = 'What answers there wants the password in a form that another program could use.'
const TAKES_NONE = 'What answers there did not prove that it knows the password, so it may be another program.'
const ADVICE =
  'Use scram-sha-256 in pg_hba.conf, and set the password again if it is older, or use sslmode=verify-full.'
