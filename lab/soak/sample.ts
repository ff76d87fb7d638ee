import { readdir, readFile, readlink } from "node:fs/promises";
import { readObjects, type StoredObject } from "../../test/chaos/stored-objects.ts";

/** The runtime and what it keeps, at one moment. */
export interface Sample {
  /** Milliseconds since the load began. */
  readonly ms: number;
  /** Which of the runtime's lives it is, from 0. */
  readonly life: number;
  readonly rssMb: number;
  /** The memory that the isolate holds once its garbage is collected; null without a look, which is most of the time. */
  readonly heapMb: number | null;
  readonly sockets: number;
  /** Time of the processor, since that life began. */
  readonly cpuS: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly storedMb: number;
  readonly alarms: number;
}

const MB = 1024 * 1024;
const TICKS_PER_S = 100;

/** Look at a process and at a storage directory; null when the process is gone. */
export async function takeSample(
  { pid, storageDir }: { readonly pid: number; readonly storageDir: string },
  at: Pick<Sample, "ms" | "life" | "heapMb">,
): Promise<Sample | null> {
  try {
    const [status, stat, sockets, objects] = await Promise.all([
      readFile(`/proc/${pid}/status`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
      countSockets(pid),
      readObjects(storageDir),
    ]);
    const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    // After the name, which may have anything in it, comes the third field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpuS = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
    if (!Number.isFinite(rssKb)) return null;
    return { ...at, rssMb: rssKb / 1024, sockets, cpuS, ...sumUp(objects) };
  } catch {
    return null;
  }
}

function sumUp(objects: readonly StoredObject[]): Pick<Sample, "rows" | "storedMb" | "alarms"> {
  const rows: Record<string, number> = {};
  for (const object of objects)
    for (const [table, count] of Object.entries(object.rows)) rows[table] = (rows[table] ?? 0) + count;
  return {
    rows,
    storedMb: objects.reduce((sum, { bytes }) => sum + bytes, 0) / MB,
    alarms: objects.filter(({ alarmAt }) => alarmAt !== null).length,
  };
}

async function countSockets(pid: number): Promise<number> {
  const directory = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(directory)).map((fd) => readlink(`${directory}/${fd}`).catch(() => "")),
  );
  return links.filter((link) => link.startsWith("socket:")).length;
}
