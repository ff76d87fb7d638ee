/** Stands in for the platform's module in tests in plain Node, where vitest.config.ts gives it in its place. */
export class DurableObject {
  protected readonly ctx: unknown;
  protected readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The OAuth library asks whether a handler is one, and has none here. */
export { DurableObject as WorkerEntrypoint };
