/** The package names an entry for bundlers that it does not ship; this file of it is the one that works in a browser. */
declare module '@xterm/headless/lib-headless/xterm-headless.mjs' {
  export * from '@xterm/headless'
}
