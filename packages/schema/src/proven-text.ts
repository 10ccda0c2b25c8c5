/**
 * What a proof is made over. With the origin in it a proof is good at one address: somebody else who has taken the
 * gateway's old port cannot pass the question on to where it runs now.
 */
export function provenText({ origin, nonce }: { readonly origin: string; readonly nonce: string }): string {
  return `holdpoint ${origin} ${nonce}`
}
