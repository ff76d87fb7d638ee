import { type Deployment, toneOfEnvironment } from "./kit/deployment.ts";

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
        <bdi>Tenant {tenant}</bdi>
        <bdi class="muted">Key {key}</bdi>
      </span>
    </p>
  );
}
