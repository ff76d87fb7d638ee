/** Stands in for the platform's module in tests in plain Node. */
export { DurableObject } from "../../src/core/edge/platform/durable-object-elsewhere.ts";

/** The OAuth library asks whether a handler is one, and has none here. */
export class WorkerEntrypoint {}
