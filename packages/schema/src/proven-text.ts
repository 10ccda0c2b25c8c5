/**
 * What a proof is made over. With the origin in it a proof is good at one address: somebody else who has taken the
 * gateway's old port cannot pass the question on to where it runs now. With the key in it a page knows to whom alone it
 * tells its secret.
 */
export function provenText(text: { readonly origin: string; readonly nonce: string; readonly key: string }): string {
  return `holdpoint ${text.origin} ${text.nonce} ${text.key}`
}
