import { openApiTools } from "volley";

import inventory from "../apis/inventory.json";

/** Each operation of the document is a tool, such as `inventory_findItems`. Put your own document in its place. */
export const inventoryTools = openApiTools(inventory, {
  prefix: "inventory",
  auth: { secret: "INVENTORY_TOKEN", as: "bearer" },
});
