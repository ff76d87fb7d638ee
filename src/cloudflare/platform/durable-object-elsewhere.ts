/**
 * Stand in for the platform's class where there is no platform, such as in tests in plain Node: the package takes it there in
 * place of `durable-object.ts`. It keeps what an object is given, and nothing can call it from afar.
 */
export class DurableObject<Env = unknown> {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}
