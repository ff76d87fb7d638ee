/** The body that a flow makes of an event; or why there is none, or when to ask again. */
export type MadeBody =
  | { readonly kind: "made"; readonly body: string }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "later"; readonly afterMs: number };
