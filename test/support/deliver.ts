import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";

/** How an answer reaches its client. Bytes are those of the body. */
export interface Delivery {
  /** How long the client waits for the headers. */
  readonly delayMs?: number;
  /** Between two chunks. */
  readonly chunkMs?: number;
  /** The body in chunks of so many bytes, wherever that cuts a line or a character. */
  readonly split?: number;
  /** After so many bytes the connection breaks. */
  readonly cutAfter?: number;
  /** After so many bytes nothing comes any more. */
  readonly hangAfter?: number;
}

/** Answer with these parts, each a chunk of its own unless they are split otherwise; whether we broke it off ourselves. */
export async function deliver(
  parts: readonly (string | Uint8Array)[],
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  response: ServerResponse,
  { delayMs = 0, chunkMs = 0, split, cutAfter, hangAfter }: Delivery,
): Promise<boolean> {
  if (delayMs > 0) await setTimeout(delayMs);
  if (response.destroyed) return false;
  response.writeHead(status, headers);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const end = cutAfter ?? hangAfter ?? Infinity;
  let sent = 0;
  for (const chunk of toChunks(parts, split)) {
    if (sent > 0) await (chunkMs > 0 ? setTimeout(chunkMs) : setImmediate());
    if (response.destroyed) return false;
    const kept = chunk.subarray(0, end - sent);
    await new Promise((resolve) => {
      response.write(kept, resolve);
    });
    sent += kept.length;
    if (sent >= end) break;
  }
  if (cutAfter !== undefined) response.socket?.destroy();
  else if (hangAfter === undefined) response.end();
  return cutAfter !== undefined;
}

function toChunks(parts: readonly (string | Uint8Array)[], split: number | undefined): readonly Buffer[] {
  const chunks = parts.map((part) => Buffer.from(part as Uint8Array));
  if (split === undefined) return chunks;
  const all = Buffer.concat(chunks);
  return Array.from({ length: Math.ceil(all.length / split) }, (_, index) =>
    all.subarray(index * split, (index + 1) * split),
  );
}
