/** The platform's class of objects. Only this file of `src` asks for it, because in plain Node another one stands in for it. */
export { DurableObject } from "cloudflare:workers";
