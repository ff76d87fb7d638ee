import type { Places } from "../../../console/kit/section.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";

/** The declaration of a tool of the tenant's own, with a button that deletes the tool; nothing for any other tool. */
export function Declaration({ name }: Places["tool"]) {
  const path = `/v1/tools/${encodeURIComponent(name)}`;
  const { data } = useLoad<unknown>(path);
  if (data === null) return null;
  return (
    <section class="card" aria-label="Its declaration">
      <div class="row">
        <h2>Its declaration</h2>
        <div class="row end">
          <CopyButton text={JSON.stringify(data, null, 2)} label="Copy declaration" />
          <DeleteButton name={name} path={path} from="tools">
            It cannot be called any more. Calls that run go on to their end, and so do its jobs.
          </DeleteButton>
        </div>
      </div>
      <JsonView value={data} label="Declaration" />
    </section>
  );
}
