import { attempt } from "../../../base/attempt.js";
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { askProgram } from "../../../base/node/ask-program.js";
import { isSingleExecutable } from "../../../base/node/own-program.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { Bubblewrap } from "./bubblewrap.js";
import { outerPath } from "./search-path-outside-sandbox.js";
import { sandboxExec } from "./seatbelt.js";
import { seatbeltFault } from "./seatbelt-probe.js";

export interface SandboxMaker {
  readonly kind: "bubblewrap" | "seatbelt";
  /** Absolute path of the sandbox program. */
  readonly program: string;
}

/** Sandbox that is available on this machine; if there is none, the reason and what the user can do about it. */
export type SandboxState =
  | (SandboxMaker & {
      readonly isThere: true;
      readonly isRoot: boolean;
      /** Limitation that users should know about, as a clause. */
      readonly note?: string;
    })
  | { readonly isThere: false; readonly reason: string; readonly remedy: string };

const withoutIt = 'or set "guard" to "rules"';
const withoutSeatbelt = 'Set "guard" to "rules".';
const probeMs = 20_000;

/** Tests the sandbox by starting a program in it with the usual arguments. Takes about 20 ms, and fails after 20 s. */
export async function probeSandbox(configFolder: string): Promise<SandboxState> {
  const state = findSandbox();
  if (!state.isThere) return state;
  if (state.kind === "seatbelt") {
    const fault = await seatbeltFault(state.program);
    return fault === undefined ? state : absent(`the macOS sandbox fails its test here: ${fault}`, withoutSeatbelt);
  }
  const fault = await startOnce(state.program, configFolder);
  return fault === undefined ? state : absent(`bubblewrap does not start here: ${fault}`, remedyFor(fault));
}

/**
 * Finds the sandbox for a chain's programs. Doesn't test bubblewrap, since the first program start does, but always tests Seatbelt's
 * restrictions.
 */
export async function sandboxToStart(configFolder: string): Promise<SandboxState> {
  const state = findSandbox();
  return state.isThere && state.kind === "seatbelt" ? probeSandbox(configFolder) : state;
}

/** Finds the sandbox program without starting it. */
export function findSandbox({
  platform = process.platform,
  isExecutable = isSingleExecutable(),
  seatbelt = sandboxExec,
}: { readonly platform?: string; readonly isExecutable?: boolean; readonly seatbelt?: string } = {}): SandboxState {
  if (platform === "darwin") return findSeatbelt(seatbelt, isExecutable);
  if (platform !== "linux") return absent(...otherSystem(platform));
  if (process.arch !== "x64") {
    return absent(
      `the system call filter isn't tested on ${process.arch}`,
      `Use a computer with an x86_64 processor, ${withoutIt}.`,
    );
  }
  if (isExecutable) {
    return absent(
      "Symposium's executable can't pass a network on to a sandbox, which requires Node",
      `Install Node 20.19 or newer and run Symposium with it (\`npm install --global symposium-acp-agent\`), ${withoutIt}.`,
    );
  }
  const lookup = systemLookup();
  // Search outside the workspace, since an agent can create a program with that name there.
  const path = outerPath(lookup.path ?? "", [lookup.cwd], configFolder());
  const program = resolveCommand("bwrap", { ...lookup, path });
  if (program === undefined) {
    return absent(
      "bubblewrap (the program bwrap) is not installed",
      `Install the package "bubblewrap", as with \`sudo apt install bubblewrap\`, ${withoutIt}.`,
    );
  }
  if ((statSync(program).mode & 0o4000) !== 0) {
    return absent(
      `${program} is setuid root, which gives it more rights than a sandbox should have`,
      `Remove the setuid bit with \`sudo chmod u-s ${program}\`, ${withoutIt}.`,
    );
  }
  return { isThere: true, kind: "bubblewrap", program, isRoot: process.getuid?.() === 0 };
}

function findSeatbelt(program: string, isExecutable: boolean): SandboxState {
  if (process.getuid?.() === 0) {
    return absent("on macOS there is no sandbox for root, who owns the system's files", "Run as an ordinary user.");
  }
  if (isExecutable) {
    return absent(
      "Symposium's executable can't test the macOS sandbox, which requires Node",
      `Install Node 20.19 or newer and run Symposium with it (\`npm install --global symposium-acp-agent\`), ${withoutIt}.`,
    );
  }
  if (!existsSync(program)) return absent(`${program} is missing, which macOS has included so far`, withoutSeatbelt);
  const note =
    "not tested on a Mac yet: Symposium checks what it blocks before agents start, and `guard selftest` runs all known checks";
  return { isThere: true, kind: "seatbelt", program, isRoot: false, note };
}

async function startOnce(program: string, configFolder: string): Promise<string | undefined> {
  const subject = { id: "probe", needs: undefined, roots: [], ownPrograms: [], configFolder };
  const confined = new Bubblewrap({ program, subject: () => subject });
  const options = { confined, cwd: homedir(), timeoutMs: probeMs };
  const { stdout, fault } = await askProgram(["/bin/sh", "-c", "echo inside"], options);
  return fault ?? (stdout === "inside\n" ? undefined : "it started something else");
}

function remedyFor(fault: string): string {
  if (/unknown option|disable-userns/i.test(fault)) return `Install bubblewrap 0.8.0 or newer, ${withoutIt}.`;
  if (/mkdir|EROFS|EACCES/.test(fault)) return `Make sure that this folder can be created, ${withoutIt}.`;
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    return 'This is a container that can\'t create namespaces. It already isolates programs, so set "guard" to "rules".';
  }
  if (isRestrictedByAppArmor()) {
    return (
      "AppArmor keeps programs from making namespaces, as Ubuntu 24.04 has it. Install the package apparmor-profiles, then " +
      "`sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && " +
      `sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict\`, ${withoutIt}.`
    );
  }
  if (/namespace|uid map|permission|not permitted/i.test(fault)) {
    return `Allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone), ${withoutIt}.`;
  }
  return `Mend that, ${withoutIt}.`;
}

function isRestrictedByAppArmor(): boolean {
  const file = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
  return attempt(() => readFileSync(file, "utf8").trim()) === "1";
}

function otherSystem(platform: string): readonly [string, string] {
  return [
    `there is no sandbox for ${platform === "win32" ? "Windows" : platform}`,
    'Set "guard" to "rules", or use WSL 2, which has a sandbox.',
  ];
}

function absent(reason: string, remedy: string): SandboxState {
  return { isThere: false, reason, remedy };
}
