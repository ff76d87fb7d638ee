import { defineFeature } from "../../feature/define.ts";
import { COMPENSATE } from "./compensation.ts";

/** Batches whose writes are taken back where one of them fails. */
export function undo() {
  return defineFeature({ name: "undo", contract: [COMPENSATE] });
}
