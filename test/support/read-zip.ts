import { inflateRawSync } from "node:zlib";

/** Read the files of a zip archive by its central directory (PKWARE APPNOTE 4.3.12), stored or deflated. */
export function readZip(bytes: Uint8Array): Map<string, string> {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end === -1) throw new Error("Cannot read zip: it has no end");
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength!);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + size);
    files.set(name, (method === 0 ? data : inflateRawSync(data)).toString("utf8"));
    at += 46 + nameLength! + extra! + comment!;
  }
  return files;
}
