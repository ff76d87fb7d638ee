/** Why mutants of `observe` live. */
import type { Reasons } from "../reasons.ts";
import { on, SHORTCUT, TYPE } from "../why.ts";

export const OBSERVE: Reasons = {
  "src/core/observe/traced-fetch.ts": [on(TYPE, "FORM.exec(traceparent)", "version === undefined")],
  "src/core/observe/traced-fetch.ts": [
    on(
      "An address is sent to when it was guarded, and one that does not parse is refused there.",
      "URL.parse(url)",
    ),
  ],
  "src/core/observe/watch.ts": [on(SHORTCUT, 'operator.lines === "off"'), on(TYPE, "toolName !== null")],
};
