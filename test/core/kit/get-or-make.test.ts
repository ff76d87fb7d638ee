import { expect, test } from "vitest";

import { getOrMake, makeRoom } from "../../../src/core/kit/get-or-make.ts";

test("getOrMake() makes a value once, and what is made of it on the way has its own", () => {
  const memory = new Map<number, number>();
  const asked: number[] = [];
  const sum = (n: number): number =>
    getOrMake(memory, n, () => {
      asked.push(n);
      return n === 0 ? 0 : n + sum(n - 1);
    });
  expect([sum(3), sum(3), sum(2)]).toEqual([6, 6, 3]);
  expect(asked).toEqual([3, 2, 1, 0]);
});

test("makeRoom() lets the entry go that was added first, and none where there is room", () => {
  const memory = new Map([["a", 1]]);
  makeRoom(memory, 2);
  memory.set("b", 2);
  makeRoom(memory, 2);
  expect([...memory.keys()]).toEqual(["b"]);
  makeRoom(new Map(), 0);
});
