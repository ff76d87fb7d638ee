/**
 * Names the header that marks a request as one of ours.
 *
 * Every outgoing request carries it and our own endpoint refuses any request that has it, so a tool whose upstream is,
 * or leads back to, this deployment cannot make it call itself.
 */
export const HOP_HEADER = "volley-hop";
