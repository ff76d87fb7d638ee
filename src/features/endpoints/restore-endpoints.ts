import { isJsonObject, type JsonObject, makeLost, objectsOf, type Restore } from "../../feature/schema.ts";
import { makePuts, type RestoreStep } from "../../core/contract/restore-step.ts";

/** The fields of an export that say how an endpoint or a type stands, and are no settings. */
const STANDING = new Set(["state", "failing_since", "disabled_because", "created_at", "updated_at"]);

/**
 * Make the steps that put endpoints and described types back. No export has a secret, so an endpoint that is new there signs with another
 * one; and no event is published again, because each endpoint would get it again.
 */
export const restoreEndpoints: Restore = (exported) => {
  if (!isJsonObject(exported)) return [];
  const { event_types: types, events } = exported;
  // The oldest first, as they were made; an earlier version exported them so.
  const made = ({ created_at: at }: JsonObject): number => Date.parse(String(at)) || 0;
  const endpoints = [...objectsOf(exported["endpoints"])].reverse().sort((a, b) => made(a) - made(b));
  const count = objectsOf(events).length;
  return [
    ...makePuts(withoutStanding(types), { what: "event type", path: "/v1/event_types", name: "type" }),
    ...makePuts(withoutStanding(endpoints), { what: "endpoint", path: "/v1/endpoints", name: "id" }).map(
      (step, at): RestoreStep => ({
        ...step,
        lost: (answer) => sayLost(answer, endpoints[at]!["state"] === "disabled"),
      }),
    ),
    ...makeLost(count === 0 ? [] : [`${count} events`], "published again, they would be delivered again."),
  ];
};

function withoutStanding(list: unknown): readonly object[] {
  return objectsOf(list).map((one) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !STANDING.has(name))),
  );
}

function sayLost(answer: Readonly<Record<string, unknown>>, wasDisabled: boolean): string | null {
  const lost = [
    ...("secret" in answer
      ? [
          "it signs with a new secret, because no export has one: rotate it, and give its customer what that answers",
        ]
      : []),
    ...(wasDisabled && answer["state"] !== "disabled" ? ["it was disabled, and is active"] : []),
  ];
  return lost.length === 0 ? null : `${lost.join("; ")}.`;
}
