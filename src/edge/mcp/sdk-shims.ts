/**
 * Stands in for what the MCP library brings for this runtime; `alias` in every `wrangler.toml` puts it there.
 *
 * The library's own brings a JSON Schema validator, which checks what a server asks its client to fill in, and makes every
 * schema of both revisions when it is loaded. We ask clients for nothing, and schemas are made when a message needs them.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("Cannot validate by JSON Schema: nothing here asks a client for input");
  }
}
