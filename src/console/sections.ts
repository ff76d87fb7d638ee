import { section as addedTools } from "../features/added-tools/console/section.ts";
import { section as confirmations } from "../features/confirmations/console/section.ts";
import { section as connections } from "../features/connections/console/section.ts";
import { section as endpoints } from "../features/endpoints/console/section.ts";
import { section as flows } from "../features/flows/console/section.ts";
import { section as keys } from "../features/keys/console/section.ts";
import { section as operator } from "../features/operator/console/section.ts";
import { section as runs } from "../features/runs/console/section.ts";
import { section as signIn } from "../features/sign-in/console/section.tsx";
import { section as undo } from "../features/undo/console/section.ts";
import { section as usage } from "../features/usage/console/section.ts";
import { section as jobs } from "./jobs/section.ts";
import type { Section } from "./kit/section.ts";
import { section as run } from "./run/section.ts";
import { section as tools } from "./tools/section.ts";

/** All that the console can have, in the order of the navigation. A Worker has what it lists of it; one starts at the first. */
export const SECTIONS: readonly Section[] = [
  runs,
  run,
  tools,
  jobs,
  confirmations,
  flows,
  endpoints,
  connections,
  usage,
  keys,
  signIn,
  operator,
  addedTools,
  undo,
];
