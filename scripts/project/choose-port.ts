import { createServer } from "node:net";

import { CommandError } from "../command/command-error.ts";

/** The usual port of a development server. */
export const PORT = 8787;

/** Ports after the usual one that are tried where it is in use. */
const OTHER_PORTS = 20;

/**
 * Choose the port that was asked for, or one that is free.
 *
 * @param note told where that is not the usual one
 * @throws CommandError where the one that was asked for is in use
 */
export async function choosePort(
  asked: string | undefined,
  note: (line: string) => void = () => {},
): Promise<number> {
  if (asked !== undefined) {
    const port = Number(asked);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new CommandError(`--port must be a number from 1 to 65535, received '${asked}'.`);
    if (await isFree(port)) return port;
    throw new CommandError(
      `Port ${port} is in use. Another one: --port ${port === 65_535 ? PORT : port + 1}.`,
      1,
    );
  }
  for (let port = PORT; port < PORT + OTHER_PORTS; port += 1) {
    if (!(await isFree(port))) continue;
    if (port !== PORT) note(`Port ${PORT} is in use by another program, so this one answers at ${port}.`);
    return port;
  }
  throw new CommandError(`Ports ${PORT} to ${PORT + OTHER_PORTS - 1} are in use; --port takes another.`, 1);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}
