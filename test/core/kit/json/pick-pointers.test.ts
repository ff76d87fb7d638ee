import fc from "fast-check";
import { expect, test } from "vitest";
import { follow, pickPointers } from "../../../../src/core/kit/json/json-pointer.ts";
import { trial } from "../../../support/trial.ts";

test("pickPointers() keeps what the pointers lead to, and nothing beside it", () => {
  const data = {
    places: [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ],
    next: "x",
  };
  expect(pickPointers(data, [["places", "1", "id"]])).toEqual({ places: { 1: { id: 2 } } });
  expect(pickPointers(data, [["next"], ["nothing", "here"]])).toEqual({ next: "x" });
});

test("pickPointers() keeps the whole of what one pointer ends at, whatever others lead into", () => {
  const data = { places: [{ id: 1 }] };
  expect(pickPointers(data, [["places"], ["places", "0", "id"]])).toEqual(data);
  expect(pickPointers(data, [[]])).toBe(data);
});

test("pickPointers() keeps a key that could reach a prototype a key", () => {
  const picked = pickPointers(JSON.parse('{"__proto__":{"a":1},"b":2}'), [["__proto__", "a"]]);
  expect(Object.getPrototypeOf(picked)).toBe(Object.prototype);
  expect(JSON.stringify(picked)).toBe('{"__proto__":{"a":1}}');
});

trial("pickPointers() changes nothing about where any of the pointers leads", () => {
  const token = fc.constantFrom("a", "b", "0", "1", "__proto__");
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.integer(),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(token, tie("node"), { maxKeys: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(tree, fc.array(fc.array(token, { maxLength: 4 }), { maxLength: 5 }), (data, pointers) => {
      const picked = JSON.parse(JSON.stringify(pickPointers(data, pointers))) as unknown;
      for (const pointer of pointers) {
        const [before, after] = [follow(data, pointer), follow(picked, pointer)];
        expect(after.found).toBe(before.found);
        if (before.found && after.found)
          expect(JSON.stringify(after.value)).toBe(JSON.stringify(before.value));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("pickPointers() gives what has no parts as it is, whatever is to be in it", () => {
  const exact = JSON.rawJSON("12345678901234567890");
  for (const data of [7, "text", null, undefined, exact]) expect(pickPointers(data, [["a"]])).toBe(data);
});
