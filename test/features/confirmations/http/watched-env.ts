import { defineFeature, type Feature } from "../../../../src/feature/define.ts";

/** A feature that does nothing but know the environment of its deployment, so that a test can deploy anew over the same objects. */
export function watchEnv(): {
  readonly feature: Feature;
  readonly env: () => Readonly<Record<string, unknown>>;
} {
  let seen: Readonly<Record<string, unknown>> = {};
  const feature = defineFeature({
    name: "watched-env",
    variables: { WATCHED_ENV: { read: (env) => void (seen = env) } },
  });
  return { feature, env: () => seen };
}
