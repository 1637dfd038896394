import type { StdioOptions } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlainProgram } from "../../../base/node/confinement.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import { isFolder, realPath } from "./machine-paths.js";
import { refusedRoot, type SandboxSubject } from "./sandbox-paths.js";

/** Returns why a sandbox can't open these folders, with the remedy. */
export function refusedSubject({ roots, configFolder, home }: SandboxSubject): string | undefined {
  return roots.map((root) => refusedRoot(root, configFolder, home)).find((text) => text !== undefined);
}

/** Adds the temporary folders named in the command to the subject's roots, if the subject shares them. */
export function openedFor(
  subject: SandboxSubject,
  { cwd, args, given }: Pick<PlainProgram, "cwd" | "args" | "given">,
): SandboxSubject {
  const shared = subject.sharesTemporary ? temporaryFolders([cwd, ...args, ...Object.values(given)]) : [];
  return { ...subject, roots: [...subject.roots, ...shared] };
}

interface SeenFrom {
  readonly subject: SandboxSubject;
  readonly paths: Pick<SandboxPaths, "roots" | "programs">;
  /** Existing empty folder. */
  readonly temporary: string;
  /** Home folder inside the sandbox. */
  readonly home: string;
}

/** Returns the program's working folder, or a substitute if the sandbox doesn't contain it. */
export function seenFolder(cwd: string, { subject, paths, temporary, home }: SeenFrom): string {
  const own = realPath(cwd) ?? cwd;
  if ([...paths.roots, ...paths.programs].some((root) => isWithin(own, root))) return cwd;
  // Package runners start in Symposium's folder, so that no project influences them; here, in an empty folder.
  if (isWithin(own, realPath(subject.configFolder) ?? subject.configFolder)) return temporary;
  return subject.roots[0] ?? home;
}

type Descriptors = Extract<StdioOptions, readonly unknown[]>;

export function descriptorsOf(stdio: StdioOptions): Descriptors {
  return typeof stdio === "string" ? [stdio, stdio, stdio] : [...stdio];
}

/** Returns Symposium's temporary folders for a tool run, such as for reports, that the command names. */
function temporaryFolders(words: readonly string[]): readonly string[] {
  const start = join(tmpdir(), "symposium-");
  const named = words.flatMap((word) => {
    const at = word.indexOf(start);
    const [name = ""] = at === -1 ? [] : (/^[\w-]+/.exec(word.slice(at + start.length)) ?? []);
    // The folder with the user's id contains sockets of all projects.
    return name === "" || /^\d+$/.test(name) ? [] : [start + name];
  });
  return [...new Set(named)].filter(isFolder);
}
