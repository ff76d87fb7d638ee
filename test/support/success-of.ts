import type { Outcome } from "../../src/core/contract/outcome.ts";

/** An action that has succeeded with this data, in one attempt. */
export const successOf = (data: unknown, more: object = {}): Outcome => ({
  status: "success",
  data,
  json: JSON.stringify(data),
  meta: { attempts: 1 },
  ...more,
});
