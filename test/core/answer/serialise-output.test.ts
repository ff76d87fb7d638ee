import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { serialiseOutput } from "../../../src/core/answer/serialise-output.ts";
import { trial } from "../../support/trial.ts";

describe("serialiseOutput()", () => {
  test("writes what JSON can say, and counts its bytes, not its letters", () => {
    expect(serialiseOutput({ name: "café" })).toEqual({ json: '{"name":"café"}', bytes: 16 });
    expect(serialiseOutput(null)).toEqual({ json: "null", bytes: 4 });
  });

  const circle: unknown[] = [];
  circle.push(circle);

  test.each([
    ["nothing", undefined, /returned nothing/],
    ["a function", () => {}, /returned nothing/],
    ["a BigInt", { n: 1n }, /cannot express/],
    ["a cycle", circle, /cannot express/],
    ["an object that throws when it is written", { toJSON: () => JSON.parse("{") }, /cannot express/],
    ["one level too much", nested(LIMITS.outputNesting + 1), /nests deeper than 60 levels/],
    ["100,000 levels", nested(100_000), /nests deeper|cannot express/],
  ])("F08 refuses %s as the tool's failure", (_, output, hint) => {
    const refuse = (): unknown => serialiseOutput(output);
    expect(refuse).toThrow(ToolFailure);
    expect(refuse).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ code: "TOOL_FAILED", hint: expect.stringMatching(hint) }),
      }),
    );
  });

  trial("takes eight megabytes, and refuses one byte more", () => {
    const output = "x".repeat(LIMITS.outputBytes - 2);
    expect(serialiseOutput(output).bytes).toBe(LIMITS.outputBytes);
    const refuse = (): unknown => serialiseOutput(`${output}x`);
    expect(refuse).toThrow(ToolFailure);
    expect(refuse).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          code: "RESPONSE_TOO_LARGE",
          hint: expect.stringContaining(`${LIMITS.outputBytes} bytes`),
        }),
      }),
    );
  });

  test("takes the deepest value there may be, whatever brackets stand in its strings", () => {
    const output = nested(LIMITS.outputNesting - 1);
    expect(() => serialiseOutput([output, "[".repeat(1_000)])).not.toThrow();
  });
});

function nested(depth: number): unknown {
  let value: unknown[] = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}
