import type { DurableObject } from "./durable-object.ts";

/** The class of a Durable Object, as a Worker exports it and the platform makes objects of it, with what it can be asked. */
export type ObjectClass<Methods> = new (
  ctx: DurableObjectState,
  env: Record<string, unknown>,
) => DurableObject<Record<string, unknown>> & Methods;
