import { attemptNow } from "../../../core/kit/result.ts";
import type { DeliveryBody } from "./delivery-body.ts";
import { findText } from "./find-place.ts";
import { areSame } from "./proofs.ts";
import type { TokenProof } from "./read-form.ts";
import { textsOf } from "./secret-keys.ts";
import type { HookWorld, SentDelivery } from "./sent-delivery.ts";

/** The token that a delivery has in a place; null where it has none. `user:password` where that is the place. */
export function tokenOf(
  at: TokenProof["at"],
  { url, headers }: Omit<SentDelivery, "body">,
  body: (() => DeliveryBody | null) | null,
): string | null {
  if (at === "basic") {
    const [, base64 = ""] = /^Basic +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
    const decoded = attemptNow(() =>
      new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))),
    );
    return decoded.ok && decoded.value.includes(":") ? decoded.value : null;
  }
  if ("query" in at) return new URL(url).searchParams.get(at.query);
  return findText(at, { headers, body: () => body?.()?.value ?? null });
}

/** Whether a token is one of the secrets, in a time that says nothing of them. */
export async function isRightToken(
  token: string,
  at: TokenProof["at"],
  { secret = "", proofs }: HookWorld,
): Promise<boolean> {
  const hash = (text: string): Promise<Uint8Array> => proofs.sha256(new TextEncoder().encode(text));
  let isRight = false;
  for (const text of textsOf(secret)) {
    // The password alone, unless the secret has the user too.
    const claimed = at === "basic" && !text.includes(":") ? token.slice(token.indexOf(":") + 1) : token;
    if (areSame(await hash(claimed), await hash(text))) isRight = true;
  }
  return isRight;
}
