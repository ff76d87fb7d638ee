import { createContext, useContext } from "./jsx-hooks.ts";
import { BATCH_FIELDS, type BatchField } from "./batch-fields.ts";
import type { Section, SectionPage } from "./section.ts";
import type { WireUsage } from "./wire-usage.ts";

/** The sections that this console has, of all that it could have, and the rights of the key. The Worker tells both. */
export interface Deployment {
  /** Whether the Worker has answered, in whatever way. */
  readonly isKnown: boolean;
  readonly sections: readonly Section[];
  /** The fields that a batch may have here; null while that is not known. */
  readonly batchFields: readonly BatchField[] | null;
  /** The key's flags; null while they are not known. */
  readonly flags: readonly string[] | null;
  /** Who looks, and where; null while that is not known. */
  readonly who: Pick<WireUsage, "key" | "tenant" | "environment"> | null;
}

const Here = createContext(toDeployment([], { data: null, problem: null }));

/** Draws what it holds with a deployment, which every page below can ask for. */
export const DeploymentProvider = Here.Provider;

export function useDeployment(): Deployment {
  return useContext(Here);
}

/** The answer about usage, as far as it has come. */
interface Asked {
  readonly data: Pick<WireUsage, "features" | "flags" | "key" | "tenant" | "environment"> | null;
  readonly problem: object | null;
}

/**
 * Choose the sections of a Worker. Until it has answered there are only those that every Worker has, so that nothing is asked
 * of a feature that is not listed. Where it does not say what it lists all are there, and the API refuses what it lacks.
 */
export function toDeployment(all: readonly Section[], { data, problem }: Asked): Deployment {
  const isKnown = data !== null || problem !== null;
  const listed = all.filter(
    ({ feature }) => feature === undefined || (data === null ? isKnown : data.features.includes(feature)),
  );
  const fields = [...BATCH_FIELDS, ...listed.flatMap(({ batchFields = [] }) => batchFields)];
  return {
    isKnown,
    sections: listed.filter(({ flag }) => flag === undefined || data?.flags.includes(flag) === true),
    batchFields: isKnown ? [...new Map(fields.map((one) => [one.name, one])).values()] : null,
    flags: data?.flags ?? null,
    who: data && {
      key: data.key,
      tenant: data.tenant,
      ...(data.environment !== undefined && { environment: data.environment }),
    },
  };
}

/** Whether the key has a flag. One that is not known yet is left to the API, which refuses it. */
export function mayUse({ flags }: Pick<Deployment, "flags">, flag: string | undefined): boolean {
  return flag === undefined || flags === null || flags.includes(flag);
}

/** Whether there is a section with pages of a name, so that a link may lead to them. */
export function hasPage({ sections }: Pick<Deployment, "sections">, name: string): boolean {
  return sections.some(({ page }) => page?.name === name);
}

/** The pages of sections, in the order of the navigation. */
export function pagesOf(sections: readonly Section[]): readonly SectionPage[] {
  return sections.flatMap(({ page }) => page ?? []);
}

/** The colours of names that deployments have everywhere; any other name is one of a place where nothing is at stake. */
const TONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:prod|production|live)\b/i, "bad"],
  [/^(?:stag|staging|preview|pre|test|qa|uat)/i, "wait"],
];

export function toneOfEnvironment(name: string): string {
  return TONES.find(([pattern]) => pattern.test(name))?.[1] ?? "going";
}
