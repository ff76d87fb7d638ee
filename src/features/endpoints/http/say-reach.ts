import { ENDPOINTS, type Publishing } from "../publishing.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { SayReach } from "../../../feature/gives.ts";
import type { Reach } from "../directory-methods.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";

/** Say to a person who is asked about a call that publishes an event how many endpoints of how many customers it would go to. */
export const sayEndpoints: SayReach = async ({ tool, calls }, { catalog, caller, configured }) => {
  if (catalog.get(tool)?.bindings.includes(ENDPOINTS) !== true) return null;
  const events = calls.slice(0, LIMITS.loopElements).flatMap(toPublishing);
  const directory = openDirectory(caller, configured);
  if (events.length === 0 || !directory.ok) return null;
  const reach = await directory.value.reach(events);
  const where = sayWhere(reach);
  if (calls.length === 1) return `It goes to ${where}.`;
  const which = calls.length > events.length ? `The first ${events.length} of its` : "Its";
  return `${which} ${calls.length} events go to ${where}: ${count(reach.deliveries, "delivery", "deliveries")}.`;
};

/** A call of a tool that publishes; none where its arguments are of another kind. */
function toPublishing({ type, customer, data = {} }: JsonObject): readonly Publishing[] {
  if (typeof type !== "string") return [];
  return [{ type, customer: typeof customer === "string" ? customer : null, data: JSON.stringify(data) }];
}

function sayWhere({ endpoints, customers, own }: Reach): string {
  if (endpoints === 0) return "no endpoint";
  const said = count(endpoints, "endpoint");
  if (customers === 0) return `${said} without a customer`;
  const ofCustomers = `of ${count(customers, "customer")}`;
  return own === 0 ? `${said} ${ofCustomers}` : `${said} ${ofCustomers}, ${own} of them without a customer`;
}

function count(of: number, one: string, many = `${one}s`): string {
  return `${of} ${of === 1 ? one : many}`;
}
