import type { ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import { relative } from "node:path";
import { Writable } from "node:stream";
import { messageOf } from "../../../base/symposium-error.js";
import type { ConfinedProgram, Confinement, PlainProgram } from "../../../base/node/confinement.js";
import { bubblewrapArguments } from "../../sandbox/bubblewrap-arguments.js";
import { cleanEnvironment } from "../../sandbox/clean-environment.js";
import { expectedMounts } from "../../sandbox/mount-check.js";
import { isWithin, type Mount, sandboxMounts, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import { syscallFilter } from "../../sandbox/syscall-filter.js";
import type { SandboxNetwork } from "../network/sandbox-network.js";
import { isFolder, realPath } from "./machine-paths.js";
import type { WatchPaths } from "./missing-paths.js";
import { rootPlaces, startAfterMounts, tellable } from "./mounts-first.js";
import { makeFile, makeFolders } from "./private-home.js";
import { descriptorsOf, openedFor, refusedSubject, seenFolder } from "./sandbox-start.js";
import { findPaths, type SandboxSubject } from "./sandbox-paths.js";

interface BubblewrapOptions {
  /** Returns what the sandbox is for. Called at each start, since more sessions may have opened folders. */
  readonly subject: () => SandboxSubject;
  /** Absolute path of bubblewrap. */
  readonly program: string;
  /** Network of the sandbox; absent for a network namespace without external access. */
  readonly network?: Omit<SandboxNetwork, "close"> | undefined;
  readonly watch?: WatchPaths;
  /** Called if a program is ended before its start because a different file was mounted than the one that was checked. */
  readonly refused?: (path: string | undefined) => void;
}

/** Linux sandbox that uses bubblewrap: namespaces, mounts and a system call filter. Doesn't need root. */
export class Bubblewrap implements Confinement {
  constructor(private readonly options: BubblewrapOptions) {}

  confine(program: PlainProgram): ConfinedProgram | { readonly startError: string } {
    try {
      return this.#confine(program);
    } catch (error) {
      return { startError: `sandbox: ${messageOf(error)}` };
    }
  }

  #confine({ file, args, env, given, cwd, stdio }: PlainProgram): ConfinedProgram | { readonly startError: string } {
    const { network, watch, refused = () => undefined } = this.options;
    const subject = this.options.subject();
    const refusal = refusedSubject(subject);
    if (refusal !== undefined) return { startError: `sandbox: ${refusal}` };
    const writable = subject.roots.find((root) =>
      isWithin(realPath(this.options.program) ?? "", realPath(root) ?? root),
    );
    if (writable !== undefined) {
      const found = `${this.options.program} is in "${writable}", where agents can write`;
      return { startError: `sandbox: ${found}. Remove that folder from PATH, or install bubblewrap elsewhere.` };
    }
    const words = [...(network?.launcher ?? []), file, ...args];
    const { paths, missing } = findPaths(openedFor(subject, { args, given, cwd }), [file, ...args], env, cwd);
    makeMountPoints(paths);
    const clean = cleanEnvironment(env, subject.needs?.variables ?? [], {
      ...given,
      ...subject.needs?.env,
      ...network?.env,
      HOME: paths.home,
    });
    const watched = watch?.(missing);
    const mounts = sandboxMounts(paths);
    const expected = tellable(expectedMounts(mounts, [...paths.roots, ...paths.state]));
    const places = rootPlaces(paths.roots);
    const descriptors = descriptorsOf(stdio);
    const [first = file, ...rest] = words;
    const filterDescriptor = descriptors.length;
    const gate = { info: filterDescriptor + 1, block: filterDescriptor + 2 };
    const plan = {
      mounts: [...mounts, ...rootLinks(subject.roots)],
      env: clean,
      cwd: seenFolder(cwd, { subject, paths, temporary: "/tmp", home: paths.home }),
    };
    return {
      file: this.options.program,
      args: bubblewrapArguments(plan, { filterDescriptor, gate, command: [first, ...rest] }),
      env: { ...clean },
      cwd: "/",
      stdio: [...descriptors, "pipe", "pipe", "pipe", ...(network ? (["ipc"] as const) : [])],
      started: (child) => {
        // A child that failed to start may have no pipes.
        if (child?.pid === undefined) return;
        sendFilter(child, filterDescriptor);
        startAfterMounts(child, { ...gate, expected, roots: places, watch: watched, refused });
        network?.attach(child);
      },
    };
  }
}

/** Sends the system call filter to bubblewrap, which reads it to its end before it makes mounts. */
function sendFilter(child: ChildProcess, descriptor: number): void {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Writable)) return;
  // Bubblewrap's exit code tells about a failed start.
  stream.on("error", () => undefined).end(syscallFilter(), () => stream.destroy());
}

/** Creates the mount points in the private folder. Bubblewrap could create them too, but would follow links that an agent left there. */
function makeMountPoints({ home, privateHome, programs, state, roots, given = [], besides = [] }: SandboxPaths): void {
  for (const { path } of besides) makeFolders(privateHome, relative(home, path));
  for (const path of [...programs, ...state, ...roots, ...given]) {
    if (!isWithin(path, home)) continue;
    for (const place of [{ path: home, source: privateHome }, ...besides.filter((one) => isWithin(path, one.path))]) {
      const inside = relative(place.path, path);
      if (isFolder(path)) makeFolders(place.source, inside);
      else makeFile(place.source, inside);
    }
  }
}

function rootLinks(roots: readonly string[]): readonly Mount[] {
  return roots.flatMap((path): Mount[] => {
    const target = realPath(path);
    const isElsewhere = target !== undefined && target !== path && !isWithin(path, realPath(homedir()) ?? homedir());
    return isElsewhere ? [{ kind: "link", path, target }] : [];
  });
}
