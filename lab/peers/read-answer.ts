/**
 * Read an answer as it came over a socket: what the load generator leaves out while time counts.
 *
 * Knows what its `HttpResponseReader` knows: bodies with a length, and chunked ones without trailers.
 */
export function readAnswer(bytes: readonly Buffer[]): { readonly status: number; readonly body: string } {
  const all = Buffer.concat(bytes);
  const end = all.indexOf("\r\n\r\n");
  const head = all.toString("latin1", 0, end);
  const rest = all.subarray(end + 4);
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  return { status: Number(head.slice(9, 12)), body: (isChunked ? joinChunks(rest) : rest).toString() };
}

function joinChunks(rest: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < rest.length;) {
    const line = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.toString("latin1", at, line), 16);
    if (!(size > 0)) break;
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
