import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import { toBody } from "../delivery.ts";
import { putEndpoint } from "./endpoint-actions.ts";
import { NO_DELIVERY, type Scope, toShownDelivery, UNREADABLE } from "./scope.ts";

type Answered = Promise<Result<Response, Refusal>>;

/** Make an endpoint. One that is there is changed field by field: a whole other one would lose what only the tenant may say. */
export async function makeOwnEndpoint(request: Request, id: string, scope: Scope): Answered {
  const found = await askGate(() => scope.ask((directory) => directory.get(id, scope.customer)), UNREADABLE);
  if (!found.ok) return found;
  if (found.value === null) return putEndpoint(request, id, scope);
  const hint = `There is an endpoint '${visibleText(id)}'; change it with PATCH, or choose another id.`;
  return err(makeRefusal("NAME_TAKEN", hint));
}

/** Show a delivery with the body that its endpoint is sent, as long as the event is kept. */
export async function showOwnDelivery(id: string, scope: Scope): Answered {
  const { ask, customer } = scope;
  const found = await askGate(() => ask((directory) => directory.delivery(id, customer)), UNREADABLE);
  if (!found.ok) return found;
  const delivery = found.value;
  if (delivery === null) return err(NO_DELIVERY);
  const at = { before: delivery.seq + 1, limit: 1 };
  const events = await askGate(() => ask((directory) => directory.events(at)), UNREADABLE);
  if (!events.ok) return events;
  const event = events.value.find(({ seq }) => seq === delivery.seq);
  const shown = {
    ...toShownDelivery(delivery, scope),
    ...(event !== undefined && { body: toBody(event) }),
  };
  return ok(respondJson(JSON.stringify(shown)));
}
