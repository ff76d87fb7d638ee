import type { Guard } from "./guards.ts";

export const GUARDS_OF_BATCHES: readonly Guard[] = [
  {
    name: "an object takes what began before its tenant was deleted",
    pair: ["batch", "deletion"],
    file: "src/cloudflare/platform/object-class.ts",
    from: "if (begunAt < this.#erasedAt) return null;",
    to: "",
  },
];
