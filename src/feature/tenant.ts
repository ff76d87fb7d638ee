/** The tenant's object: a feature's rows and methods in it, their export, and their deletion. */

export { visibleTools } from "../cloudflare/endpoints/jobs.ts";
