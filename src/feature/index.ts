/** Everything that a feature of one's own is made of: `import { defineFeature } from "volley/feature"`. */

export * from "./answer.ts";
export * from "./caller.ts";
export * from "./define.ts";
export * from "./gives.ts";
export * from "./kit.ts";
export * from "./object.ts";
export * from "./outside.ts";
export * from "./refuse.ts";
export * from "./route.ts";
export * from "./schema.ts";
export * from "./tenant.ts";
export * from "./tool.ts";
