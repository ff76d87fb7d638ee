import { expect, test } from "vitest";

import { type OptionRules, readOptions } from "../../../../src/features/orchestration/shell/read-options.ts";
import { splitCommands } from "../../../../src/features/orchestration/shell/split-commands.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const RULES: OptionRules = {
  flags: "ab",
  values: "n",
  pattern: /^-\d+$/,
  long: new Set(["all"]),
  longValues: new Set(["name"]),
};

const read = (args: string): ReturnType<typeof readOptions> =>
  readOptions(valueOf(splitCommands(`cmd ${args}`))[0]!.slice(1), RULES);

test.each([
  ["x y", ["x", "y"], []],
  ["-ab x", ["x"], []],
  ["-n 5 x", ["x"], [["n", "5"]]],
  ["-n5 x", ["x"], [["n", "5"]]],
  ["-an5 x", ["x"], [["n", "5"]]],
  ["-an 5 x", ["x"], [["n", "5"]]],
  ["-12 x", ["x"], []],
  ["--all --all=x y", ["y"], [["all", "x"]]],
  ["--name v x", ["x"], [["name", "v"]]],
  ["--name=v x", ["x"], [["name", "v"]]],
  ["--name= x", ["x"], [["name", ""]]],
  ["--name", [], []],
  ["--name -a x", ["x"], []],
  ["- x", ["-", "x"], []],
  ["-n - x", ["x"], [["n", "-"]]],
  ["-a -- x", ["x"], []],
  ["'--all'", [], []],
  ["a* -n a*", ["a*", "a*"], []],
])("readOptions() tells options from operands in %j", (args, operands, values) => {
  const found = valueOf(read(args));
  expect(found.operands.map(({ text }) => text)).toEqual(operands);
  expect(found.values.map(({ option, text }) => [option, text])).toEqual(values);
});

test.each([
  ["-c", "'-c' is not proven harmless"],
  ["-abc", "'-abc' is not proven harmless"],
  ["x -c", "'-c' is not proven harmless"],
  ["--al", "'--al' is not proven harmless"],
  ["--allx", "'--allx' is not proven harmless"],
  ["-n -c", "'-c' is not proven harmless"],
  ["-- -a", "'-a' is not proven harmless"],
  ["-- --", "'--' is not proven harmless"],
  ["$x", "'$x' could become an option"],
  ["-- *", "'*' could become an option"],
  ["-n $x", "'$x' could become an option"],
])("readOptions() refuses %j: %s", (args, reason) => {
  expect(errorOf(read(args))).toBe(reason);
});

test("readOptions() names the options that were there", () => {
  expect([...valueOf(read("-ab --all --name=x")).options]).toEqual(["a", "b", "all", "name"]);
});
