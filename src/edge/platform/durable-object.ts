/** The platform's class of objects. Of `src` only this file asks for it, because in plain Node another one stands in for it. */
export { DurableObject } from "cloudflare:workers";
