import { runCli } from './run-cli.ts'

// The reader of a pipe may exit (`holdpoint asks | head`), and a terminal may close: neither is a reason to crash.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exitCode = await runCli(process.argv)
