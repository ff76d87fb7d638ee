import { defineFeature } from "../../feature/define.ts";
import { showUsage } from "./http/endpoints.ts";

/** `GET /v1/usage`: what a key has left of its quota, what of its tenant waits or fails, and which features there are. */
export function usage() {
  return defineFeature({
    name: "usage",
    routes: [{ for: "any key", paths: [showUsage] }],
  });
}
