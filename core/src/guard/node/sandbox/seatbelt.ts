import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { messageOf } from "../../../base/symposium-error.js";
import type { ConfinedProgram, Confinement, PlainProgram } from "../../../base/node/confinement.js";
import { cleanEnvironment } from "../../sandbox/clean-environment.js";
import { type SeatbeltProfile, seatbeltProfile } from "../../sandbox/seatbelt-profile.js";
import type { SharedLoopback } from "../network/sandbox-network.js";
import { realPath } from "./machine-paths.js";
import type { WatchPaths } from "./missing-paths.js";
import { linkIntoHome } from "./private-home.js";
import { findPaths, type SandboxSubject } from "./sandbox-paths.js";
import { descriptorsOf, openedFor, refusedSubject, seenFolder } from "./sandbox-start.js";

/** Program for Seatbelt sandboxes. It is part of macOS, and only system updates can change it. */
export const sandboxExec = "/usr/bin/sandbox-exec";

interface SeatbeltOptions {
  /** Returns what the sandbox is for. Called at each start, since more sessions may have opened folders. */
  readonly subject: () => SandboxSubject;
  readonly program: string;
  /** Network of the sandbox; absent for no connections. */
  readonly network?: SharedLoopback | undefined;
  readonly watch?: WatchPaths;
}

/**
 * macOS sandbox that applies a Seatbelt profile to a program and its children; not tested on a Mac. `HOME` is the private folder, which
 * contains links to the user's files instead of mounts.
 */
export class Seatbelt implements Confinement {
  constructor(private readonly options: SeatbeltOptions) {}

  confine(program: PlainProgram): ConfinedProgram | { readonly startError: string } {
    try {
      return this.#confine(program);
    } catch (error) {
      return { startError: `sandbox: ${messageOf(error)}` };
    }
  }

  #confine(plain: PlainProgram): ConfinedProgram | { readonly startError: string } {
    const { file, args, env, given, cwd, stdio } = plain;
    const { network, watch, program } = this.options;
    const subject: SandboxSubject = { ...this.options.subject(), hasNoMounts: true };
    const refusal = refusedSubject(subject);
    if (refusal !== undefined) return { startError: `sandbox: ${refusal}` };
    const found = findPaths(openedFor(subject, plain), [file, ...args], env, cwd);
    const { paths, missing } = found;
    const privateHome = realPath(paths.privateHome) ?? paths.privateHome;
    linkIntoHome(privateHome, paths.home, { needed: paths.state, wanted: [...paths.programs, ...paths.roots] });
    const made = mkdtempSync(join(tmpdir(), "symposium-sandbox-"));
    const removeTemporary = (): void => rmSync(made, { recursive: true, force: true });
    const temporary = realPath(made) ?? made;
    const clean = cleanEnvironment(env, subject.needs?.variables ?? [], {
      ...certificates(env),
      ...watching,
      // Folder for zsh's here-documents, since zsh ignores TMPDIR.
      TMPPREFIX: join(temporary, "zsh"),
      ...given,
      ...subject.needs?.env,
      ...network?.env,
      HOME: privateHome,
    });
    const links = subject.roots.filter((root) => realPath(root) !== root);
    const { text, parameters } = seatbeltProfile({
      ...{ ...paths, privateHome, temporary, links, named: found.named, ports: network?.ports ?? [] },
    });
    const watched = watch?.(missing);
    const descriptors = descriptorsOf(stdio);
    const words = [...definitions(parameters), "--", file, ...args];
    return {
      ...(network
        ? { file: "/bin/sh", args: ["-p", "-c", handOver(descriptors.length), "sh", program, text, ...words] }
        : { file: program, args: ["-p", text, ...words] }),
      env: { ...clean, TMPDIR: temporary },
      cwd: seenFolder(cwd, { subject, paths, temporary, home: privateHome }),
      stdio: network ? [...descriptors, "pipe"] : descriptors,
      started: (child) => {
        if (!child) {
          removeTemporary();
          return;
        }
        child.once("exit", removeTemporary);
        child.once("error", removeTemporary);
        if (network) tellProxy(network, child, descriptors.length);
        void watched?.begin(child);
      },
    };
  }
}

/** Returns the profile for one folder and a program without special needs, to be shown by `guard selftest --print-profile`. */
export function profileFor(root: string, configFolder: string, home: string): SeatbeltProfile {
  const subject = { id: "tools", needs: undefined, roots: [root], ownPrograms: [], configFolder, home };
  const refusal = refusedSubject(subject);
  if (refusal !== undefined) throw new Error(refusal);
  const { paths, named } = findPaths({ ...subject, hasNoMounts: true }, ["/bin/sh"], process.env, root);
  const temporary = join(realPath(tmpdir()) ?? tmpdir(), "symposium-sandbox-XXXXXX");
  return seatbeltProfile({ ...paths, temporary, links: [], named, ports: [] });
}

function definitions(parameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
}

/**
 * Returns a script that reads the proxy's port and address from a pipe, since they are known only at the start and the process list must
 * not show the password. The script runs outside the sandbox, so `-p` makes the shell ignore code in variables (functions, SHELLOPTS with
 * PS4, BASH_ENV).
 */
function handOver(descriptor: number): string {
  return `
read -r port proxy <&${descriptor} && exec ${descriptor}<&- || {
  echo "symposium-acp-agent: the network of the sandbox cannot be set up" >&2
  exit 125
}
export HTTP_PROXY="$proxy" HTTPS_PROXY="$proxy" http_proxy="$proxy" https_proxy="$proxy"
program=$1 profile=$2
shift 2
exec "$program" -p "$profile
(allow network-outbound (remote ip \\"localhost:$port\\"))" "$@"
`;
}

/** Sends the proxy's address to the script. If that fails, the script exits before the program starts. */
function tellProxy(network: SharedLoopback, child: ChildProcess, descriptor: number): void {
  const pipe = child.stdio[descriptor];
  if (!(pipe instanceof Writable)) return;
  pipe.on("error", () => undefined);
  network.listen(child).then(
    ({ port, address }) => pipe.end(`${port} ${address}\n`),
    () => pipe.destroy(),
  );
}

/**
 * Variables that make Chokidar (used by Claude Code and others) and webpack poll for file changes. macOS's change notification service
 * reports names from all folders, so the sandbox denies it and programs that use it get `EMFILE`.
 */
const watching: Readonly<Record<string, string>> = { CHOKIDAR_USEPOLLING: "true", WATCHPACK_POLLING: "true" };

/**
 * Returns variables that make programs read certificates from a file, since the system service that they would otherwise use isn't
 * available.
 */
function certificates(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const file = "/etc/ssl/cert.pem";
  return env["SSL_CERT_FILE"] === undefined && existsSync(file) ? { SSL_CERT_FILE: file } : {};
}
