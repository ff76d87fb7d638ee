import { defineFeature } from "../../feature/define.ts";
import { showObject } from "./http/endpoints.ts";

/** `GET /v1/objects/{key}`: files that tools have made, for their tenant only. */
export function objects() {
  return defineFeature({
    name: "objects",
    bindings: ["OBJECTS"],
    routes: [{ for: "any key", paths: [showObject] }],
  });
}
