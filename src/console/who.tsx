import type { Deployment } from "./kit/deployment.ts";

/** The colours of names that deployments have everywhere; any other name is one of a place where nothing is at stake. */
const TONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:prod|production|live)\b/i, "bad"],
  [/^(?:stag|staging|preview|pre|test|qa|uat)/i, "wait"],
];

/** Whose key this tab has and where it is: before something is sent, one sees by which key and to which deployment. */
export function Who({ who }: Pick<Deployment, "who">) {
  if (who === null) return null;
  const { tenant, key, environment } = who;
  return (
    <p class="who" title={`Tenant ${tenant}, key ${key}`}>
      {environment !== undefined && (
        <span key="environment" class={`status tone-${toneOfEnvironment(environment)}`}>
          <span class="hidden-text">Environment </span>
          <bdi>{environment}</bdi>
        </span>
      )}
      <span class="who-names">
        <span class="hidden-text">Tenant </span>
        <bdi>{tenant}</bdi>
        <span class="hidden-text">, key</span> <bdi class="muted">{key}</bdi>
      </span>
    </p>
  );
}

/** The colour of an environment by its name. */
export function toneOfEnvironment(name: string): string {
  return TONES.find(([pattern]) => pattern.test(name))?.[1] ?? "going";
}
