import type { Mount, SandboxPlan } from "./sandbox-plan.js";

interface BubblewrapOptions {
  /** The descriptor that the filter of system calls is read from. */
  readonly filterDescriptor: number;
  /** To these it says which process the program will be, and waits for a word before it starts that. */
  readonly gate?: { readonly info: number; readonly block: number };
  /** The program, by name or path, and its arguments. */
  readonly command: readonly [string, ...string[]];
}

/**
 * The arguments of `bwrap` (0.8.0 or newer) for a plan. The environment is not among them: bubblewrap itself is started with
 * it, since its own stays readable in `/proc/1/environ`.
 */
export function bubblewrapArguments(
  { mounts, cwd }: SandboxPlan,
  { filterDescriptor, gate, command }: BubblewrapOptions,
): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // Without these a new namespace could undo mounts, and root could remount them.
    ...["--disable-userns", "--cap-drop", "ALL"],
    "--die-with-parent",
    ...["--proc", "/proc", "--dev", "/dev"],
    ...mounts.flatMap(mountArguments),
    // What bubblewrap has made by itself on the way to other mounts.
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
