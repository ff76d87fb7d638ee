import type { UsageQuery, UsageReport } from "../../core/contract/gate/usage.ts";
import type { JobProgress } from "../../core/contract/gate/job.ts";
import type { MakeEvent, ObjectPart, OpenPart, PartClaims, PartWorld } from "./object-part.ts";
import { getOrMake } from "../../core/kit/get-or-make.ts";

export class ObjectParts {
  readonly #open = new Map<string, OpenPart>();
  readonly all: readonly OpenPart[];
  readonly #tools: OpenPart | undefined;

  constructor(
    parts: readonly ObjectPart[],
    world: Omit<PartWorld, "part" | "questions" | "tellAfter" | "looksAfter">,
  ) {
    const open = (name: string): OpenPart =>
      getOrMake(this.#open, name, () => {
        const part = parts.find((one) => one.name === name);
        if (part === undefined) throw new Error(`Cannot open a part: the Worker does not list '${name}'`);
        return part.open({
          ...world,
          part: open,
          questions: () => this.all.find(({ questions }) => questions !== undefined)?.questions,
          tellAfter: (aftermath) => this.all.forEach((one) => one.hearAfter?.(aftermath)),
          looksAfter: (runId) => this.all.some((one) => one.looksAfter?.(runId) === true),
        });
      });
    this.all = parts.map(({ name }) => open(name));
    this.#tools = this.all.find(({ toolsVersion }) => toolsVersion !== undefined);
  }

  /** The version of the tenant's tools; 0 where there never were any. */
  get toolsVersion(): number {
    return this.#tools?.toolsVersion ?? 0;
  }

  /** When the first of them has something to do next; null when none has. */
  get nextAt(): number | null {
    let first: number | null = null;
    for (const { nextAt = null } of this.all) if (nextAt !== null) first = Math.min(first ?? nextAt, nextAt);
    return first;
  }

  /** Find a method of a feature's part. */
  method(feature: string, name: string): (nowMs: number, ...args: unknown[]) => unknown {
    const methods = this.#open.get(feature)?.methods ?? {};
    if (!Object.hasOwn(methods, name))
      throw new Error(`Cannot call '${name}' of '${feature}': there is none`);
    return methods[name] as (nowMs: number, ...args: unknown[]) => unknown;
  }

  changed(nowMs: number): void {
    for (const part of this.all) part.changed?.(nowMs);
  }

  tell(nowMs: number, make: MakeEvent): void {
    for (const part of this.all) part.hear?.(nowMs, make);
  }

  claims(feature: string): PartClaims {
    const claims = this.#open.get(feature)?.claims;
    if (claims === undefined)
      throw new Error(`Cannot claim anything of '${feature}': nothing can be claimed`);
    return claims;
  }

  /** Say how far a job has come, where a part knows. */
  progress(jobId: string): JobProgress | undefined {
    return this.all.map((part) => part.progress?.(jobId)).find((progress) => progress !== undefined);
  }

  usage(nowMs: number, query: UsageQuery): Partial<UsageReport> {
    return Object.assign({}, ...this.all.map((part) => part.usage?.(nowMs, query))) as Partial<UsageReport>;
  }
}
