import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { resultsOf } from "./hostile-data.ts";

const MEGABYTE = 's = "x"; while (length(s) < 1e6) s = s s;';

/** Commands of the tool `bash` that take the most of what one may, in time or in memory. */
const COMMANDS = {
  "an awk that adds to 1 MB and looks into it": `awk 'BEGIN { ${MEGABYTE} for (i = 0; i < 99999; i++) { s = s "x"; n = index(s, "x") } }'`,
  "an awk that keeps copies of 1 MB": `awk 'BEGIN { ${MEGABYTE} for (i = 0; i < 99999; i++) { a[i] = s i; n = index(a[i], s) } }'`,
  "a pipeline that turns 4 MB around": `awk 'BEGIN { ${MEGABYTE} print s s s s }' > /tmp/a; base64 /tmp/a | rev | tac | base64 | fold -w 3 | tail -1`,
};

export const COMMAND_ATTACKS: readonly Attack[] = Object.entries(COMMANDS).map(([title, command]) => ({
  title: `commands: ${title}`,
  vars: { WORKSPACE: "on" },
  run: async ({ execute }) => {
    const [ran] = resultsOf(await execute({ actions: [{ tool: "bash", args: { command } }] }));
    assert.equal(
      (ran!.data as { readonly exit_code?: number } | undefined)?.exit_code,
      126,
      JSON.stringify(ran),
    );
  },
}));
