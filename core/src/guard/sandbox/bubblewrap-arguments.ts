import type { Mount, SandboxPlan } from "./sandbox-plan.js";

interface BubblewrapOptions {
  readonly filterDescriptor: number;
  /** File descriptors on which bubblewrap reports the program's process id (`info`) and waits before starting the program (`block`). */
  readonly gate?: { readonly info: number; readonly block: number };
  /** Name or path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
}

/**
 * Returns the arguments of `bwrap` (0.8.0 or newer) for a plan. They don't include the environment: pass it to bubblewrap's process, whose
 * own environment stays readable in `/proc/1/environ`.
 */
export function bubblewrapArguments(
  { mounts, cwd }: SandboxPlan,
  { filterDescriptor, gate, command }: BubblewrapOptions,
): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // Without these options, a new namespace could undo mounts, and root could remount them.
    ...["--disable-userns", "--cap-drop", "ALL"],
    "--die-with-parent",
    ...["--proc", "/proc", "--dev", "/dev"],
    ...mounts.flatMap(mountArguments),
    // Make the folders read-only that bubblewrap created as mount points.
    ...["--remount-ro", "/"],
    ...["--seccomp", String(filterDescriptor)],
    ...(gate ? ["--info-fd", String(gate.info), "--block-fd", String(gate.block)] : []),
    ...["--chdir", cwd, "--", ...command],
  ];
}

function mountArguments(mount: Mount): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case "readable":
      return ["--ro-bind", mount.source ?? path, path];
    case "writable":
      return ["--bind", mount.source ?? path, path];
    case "empty":
      return ["--perms", "0700", "--tmpfs", path];
    case "masked":
      return ["--ro-bind", "/dev/null", path];
    case "link":
      return ["--symlink", mount.target, path];
  }
}
