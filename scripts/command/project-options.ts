import type { Options } from "./define-command.ts";

/** Options of commands that look at the project in the folder where one stands. */
export const PROJECT = {
  config: { type: "string", value: "FILE", default: "wrangler.toml", about: "the Worker's configuration" },
} as const satisfies Options;

/** The environment of `wrangler.toml`. */
export const ENVIRONMENT = {
  env: { type: "string", value: "NAME", about: "the environment of wrangler.toml, such as staging" },
} as const satisfies Options;
