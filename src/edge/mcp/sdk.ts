/**
 * What is used of the protocol's library. It is imported when the first message comes, so that no other request pays for
 * it, and by itself: the bundler puts whatever is imported late, and all that it imports, into closures.
 */
export { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
