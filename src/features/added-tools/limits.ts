/** Numbers that bound this feature, each with its reason; the others are core's. */

export { declarationEntries, maxDeadlineMs, nesting } from "../../core/contract/limits.ts";

/** Tools that are taken from one MCP server: more than any key's model can choose from. */
export const mcpServerTools = 500;
/** Pages of one server's list of tools: 500 tools in tens, and each is a request. */
export const mcpListPages = 50;
/** Characters of a tool's name on its MCP server: the protocol's own bound. */
export const mcpNameCharacters = 128;
/** How long an isolate goes by a server's list of tools where the server does not say: within a minute a changed tool is not called any more. */
export const mcpListTtlMs = 60_000;
/** The least that a server can ask for: otherwise each call would be two. */
export const mcpLeastListTtlMs = 5_000;
/** The most that it can ask for: an hour with a tool that is no longer the same is enough. */
export const mcpMostListTtlMs = 3_600_000;
/** Servers that an isolate knows the tools of, all tenants' together: some ten megabytes if each has as many tools as it may. */
export const mcpServers = 100;
/** Characters of each thing that is told of an image, a sound or a file which a tool answered with. */
export const mcpLabelCharacters = 500;
/** Lines of one answer that comes as events: a minute's progress, forty times a second in three lines each, and the answer. */
export const mcpStreamLines = 8_192;
/** Characters of the id of a session that a server of 2025 gives; it is sent with each request. */
export const mcpSessionCharacters = 1_024;
/** Characters of declarations in one message: at two bytes each an eighth of what a message may have. */
export const toolPageCharacters = 2 * 1024 * 1024;
/**
 * Declarations of all tenants that an isolate keeps at hand; those of the tenant that has not called for longest are read
 * again.
 */
export const toolsAtHandBytes = 16 * 1024 * 1024;
/** How long what a tenant's object said of its tools is believed without asking: a lease lives as long, and brings news. */
export const toolsHeardMs = 2_000;
/** How often an isolate asks at once for names of a tenant's tools that it does not know, so that made-up names cost its object little. */
export const toolsSoughtMs = 100;
/** Schemas inside a declared tool's arguments, each property one: what 64 KiB of them hold where they say something. */
export const declarationSchemas = 2_500;
/** Characters of a declared tool's summary: one line of about 15 tokens, with room for languages that need more. */
export const summaryCharacters = 200;
/** Characters of a declared tool's description: two pages, which every listing of the tool repeats. */
export const descriptionCharacters = 8_192;
/** Characters of a declared address: what every proxy and server on the way takes. */
export const declaredUrlCharacters = 2_048;
