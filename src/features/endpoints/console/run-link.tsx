import { hasPage, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo } from "../../../console/kit/route.ts";

/** The run that published an event, as a link where the Worker keeps runs. */
export function RunLink({ id }: { readonly id: string }) {
  const text = <bdi class="mono">{id}</bdi>;
  return hasPage(useDeployment(), "runs") ? <a href={hrefTo("runs", id)}>{text}</a> : text;
}
