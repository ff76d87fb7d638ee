import { expect, test } from "vitest";

import { hideBindings } from "../../scripts/project/run-wrangler.ts";

test("What a development server prints is shown without its list of bindings", () => {
  const hide = hideBindings();
  const lines = [
    "[custom build] Running",
    "Your Worker has access to the following bindings:",
    'env.VOLLEY_KEYS ("[',
    '  {"name": "a"',
    "",
    "Starting",
    "",
    "Ready",
  ];
  expect(lines.filter((line) => !hide(line))).toEqual(["[custom build] Running", "Starting", "", "Ready"]);
});
