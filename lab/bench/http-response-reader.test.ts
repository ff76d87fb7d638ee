import { describe, expect, test } from "vitest";
import { HttpResponseReader } from "./http-response-reader.ts";

const sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const chunked = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
const empty = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

describe("HttpResponseReader", () => {
  test.each([
    ["a sized body", sized, 200],
    ["a chunked body", chunked, 404],
    ["no body", empty, 200],
  ])("finds the end of %s however it is cut", (_, text, status) => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const seen: number[] = [];
      const reader = new HttpResponseReader((value) => void seen.push(value));
      for (const part of [text.slice(0, cut), text.slice(cut)].filter((part) => part !== "")) {
        expect(seen).toEqual([]);
        reader.push(Buffer.from(part));
      }
      expect(seen).toEqual([status]);
    }
  });

  test("reads the next answer on the same connection", () => {
    const seen: number[] = [];
    const reader = new HttpResponseReader((value) => void seen.push(value));
    for (const text of [sized, chunked, sized]) reader.push(Buffer.from(text));
    expect(seen).toEqual([200, 404, 200]);
  });
});
