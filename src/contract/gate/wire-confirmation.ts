import type { ConfirmationRecord, Island, ParkedAction } from "./confirmation.ts";

/** A confirmation as `GET /v1/confirmations/{id}` shows it: everything that a yes would run. */
export function toWireConfirmation(record: ConfirmationRecord, island: Island): object {
  const { actions, requestedBy, argsHash } = island;
  return {
    id: record.id,
    status: record.status,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
    requested_by: requestedBy,
    actions: actions.map((action) => ({
      id: action.id,
      tool: action.tool,
      gated: action.gated,
      ...toWireArgs(action),
      ...(action.callback !== undefined && { callback_url: action.callback.url }),
      waits_for: action.needs.map((index) => actions[index]!.id),
    })),
    args_hash: argsHash,
  };
}

/** What will be sent where that is known, otherwise what was asked for, references included. */
function toWireArgs({ args }: ParkedAction): object {
  switch (args.kind) {
    case "call":
      return { args: args.input, resolved: true };
    case "waiting":
      return {
        args: args.input,
        ...(args.forEach !== undefined && { for_each: args.forEach }),
        resolved: false,
      };
    case "loop":
      return {
        args_of_each: args.elements.map((element) =>
          "input" in element ? element.input : { error: element.error.code },
        ),
        resolved: true,
      };
  }
}
