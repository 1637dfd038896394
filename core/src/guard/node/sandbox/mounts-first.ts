import { attempt } from "../../../base/attempt.js";
import type { ChildProcess } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readlinkSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { processTree } from "../../../base/node/process-tree.js";
import {
  type ExpectedMount,
  type FolderPlace,
  isMounted,
  misplacedMount,
  mountPoints,
  placeInMount,
} from "../../sandbox/mount-check.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { entryAt } from "./machine-paths.js";
import type { SandboxWatch } from "./missing-paths.js";

/** Maximum milliseconds that bubblewrap may take to make its mounts. */
const mountMs = 30_000;
const pollMs = 2;

interface MountsFirst {
  /** Indexes in `child.stdio` of bubblewrap's `--info-fd` and `--block-fd`. */
  readonly info: number;
  readonly block: number;
  readonly expected: readonly ExpectedMount[];
  readonly roots: readonly FolderPlace[];
  readonly watch: SandboxWatch | undefined;
  /** Called if the program is ended before its start. `path` has an unexpected mount; undefined means that mounting took too long. */
  readonly refused: (path: string | undefined) => void;
}

/**
 * Starts a sandbox's program after verifying its mounts; kills it if they differ from the planned ones. They can differ if another sandbox
 * that can write to the same folder inserts a link during the start.
 */
export function startAfterMounts(
  child: ChildProcess,
  { info, block, expected, roots, watch, refused }: MountsFirst,
): void {
  const [said, gate] = [child.stdio[info], child.stdio[block]];
  const watching = watch?.begin(child) ?? Promise.resolve();
  if (!(said instanceof Readable) || !(gate instanceof Writable)) return;
  const deadline = performance.now() + mountMs;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    said.destroy();
    gate.destroy();
  };
  const refuse = (inner: number | undefined, path: string | undefined): void => {
    // Kill the processes first, since closing the gate would start the program.
    for (const pid of [inner, child.pid]) if (pid !== undefined) kill(pid);
    if (child.pid !== undefined) processTree(child.pid, { isConfined: true }).kill();
    close();
    refused(path);
  };
  const look = (pid: number): void => {
    const mounts = mountsOf(pid);
    if (mounts === undefined || !isMounted(mounts)) {
      if (performance.now() > deadline) refuse(pid, undefined);
      else timer = setTimeout(look, pollMs, pid);
      return;
    }
    const path = misplacedMount(mounts, expected, roots);
    if (path === undefined) void watching.then(() => gate.end("x", close));
    else refuse(pid, path);
  };
  let text = "";
  said.on("error", () => undefined);
  gate.on("error", () => undefined);
  said.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const [, pid] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
    if (pid === undefined) return;
    said.removeAllListeners("data");
    watch?.first(Number(pid));
    look(Number(pid));
  });
  child.once("exit", close);
}

/**
 * Returns the mounts that can be verified relative to the folder they belong to. Omits paths that are on another file system inside that
 * folder.
 */
export function tellable(expected: readonly ExpectedMount[]): readonly ExpectedMount[] {
  if (expected.length === 0) return expected;
  const points = mountPoints(mountsOf("self") ?? "");
  return expected.filter(({ source, owner }) => {
    const isMountedInside = points.some(
      (point) => point !== owner && isWithin(point, owner) && isWithin(source, point),
    );
    return !isMountedInside && entryAt(source)?.dev === entryAt(owner)?.dev;
  });
}

/**
 * Returns where `folders` currently are in their file systems; their links must be resolved. Omits folders whose place can't be determined.
 */
export function rootPlaces(folders: readonly string[]): readonly FolderPlace[] {
  const mounts = mountsOf("self") ?? "";
  return folders.flatMap((path) => {
    let folder: number | undefined;
    try {
      folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK);
      const [, id = ""] = /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${folder}`, "utf8")) ?? [];
      const found = readlinkSync(`/proc/self/fd/${folder}`);
      // Some file systems ignore case in names. Any other difference means that a link was inserted.
      const real = found.toLowerCase() === path.toLowerCase() ? found : path;
      const place = placeInMount(mounts, id, real);
      return place ? [{ ...place, path }] : [];
    } catch {
      return [];
    } finally {
      if (folder !== undefined) closeSync(folder);
    }
  });
}

function mountsOf(pid: number | "self"): string | undefined {
  return attempt(() => readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ignore the error, since the process has already ended.
  }
}
