import * as z from "zod";

import { actionSchema } from "../../contract/action.ts";
import { batchSchema as envelopeSchema } from "../../contract/batch.ts";
import { LIMITS } from "../../contract/limits.ts";

const action = actionSchema().meta({ id: "Action" });

/** A batch as it is documented: its actions are parsed one by one, so that one bad action stays one bad action. */
export const batchSchema = envelopeSchema()
  .extend({ actions: z.array(action).min(1).max(LIMITS.actions) })
  .meta({ id: "Batch" });
