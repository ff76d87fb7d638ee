import { attemptNow } from "../../../core/kit/result.ts";
import type { Handshake } from "./hook-form.ts";

/** A request that no header of its sender's came with. */
export interface Unsigned {
  readonly method: string;
  readonly url: string;
  /** Null where it is too large. */
  readonly body: Uint8Array | null;
  /** The flow's own token, where its sender asks with one. */
  readonly token?: string | undefined;
}

/** Find the text that a sender's unsigned question wants back; null where it is none of them. */
export function findHandshake(handshakes: readonly Handshake[], asked: Unsigned): string | null {
  for (const handshake of handshakes) {
    if (handshake.method !== asked.method) continue;
    const answer = answerOf(handshake, asked);
    if (answer !== null) return answer;
  }
  return null;
}

function answerOf(handshake: Handshake, { url, body, token }: Unsigned): string | null {
  switch (handshake.method) {
    case "HEAD":
      return "";
    case "POST": {
      const text = attemptNow(() =>
        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body ?? new Uint8Array()),
      );
      const names = text.ok ? [...new URLSearchParams(text.value).keys()] : [];
      const isIt = names.length > 0 && names.every((name) => handshake.fields.includes(name));
      return isIt ? "" : null;
    }
    case "GET": {
      const { searchParams } = new URL(url);
      const where = Object.entries(handshake.where ?? {});
      if (!where.every(([name, value]) => searchParams.get(name) === value)) return null;
      const isToken = handshake.token === undefined || (token ?? "") === searchParams.get(handshake.token);
      return isToken && token !== "" ? searchParams.get(handshake.echo) : null;
    }
  }
}
