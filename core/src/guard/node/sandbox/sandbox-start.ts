import type { StdioOptions } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlainProgram } from "../../../base/node/confinement.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import { isFolder, realPath } from "./machine-paths.js";
import { refusedRoot, type SandboxSubject } from "./sandbox-paths.js";

/** Returns why a sandbox can't have these folders as its workspace, and what to do about it. */
export function refusedSubject({ roots, configFolder, home }: SandboxSubject): string | undefined {
  return roots.map((root) => refusedRoot(root, configFolder, home)).find((text) => text !== undefined);
}

/** Adds the temporary folders that the command names to the subject's roots, if the subject allows that. */
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
  /** An existing folder that is empty. */
  readonly temporary: string;
  /** Path of the home folder inside the sandbox. */
  readonly home: string;
}

/** Returns the program's working folder, or another folder if the sandbox doesn't contain it. */
export function seenFolder(cwd: string, { subject, paths, temporary, home }: SeenFrom): string {
  const own = realPath(cwd) ?? cwd;
  if ([...paths.roots, ...paths.programs].some((root) => isWithin(own, root))) return cwd;
  // Outside sandboxes, package runners start in Symposium's folder, so that no project influences them. Start them in an empty folder
  // instead.
  if (isWithin(own, realPath(subject.configFolder) ?? subject.configFolder)) return temporary;
  return subject.roots[0] ?? home;
}

type Descriptors = Extract<StdioOptions, readonly unknown[]>;

export function descriptorsOf(stdio: StdioOptions): Descriptors {
  return typeof stdio === "string" ? [stdio, stdio, stdio] : [...stdio];
}

/** Returns the temporary folders that Symposium created for a tool run, for example for reports, and that the command names. */
function temporaryFolders(words: readonly string[]): readonly string[] {
  const start = join(tmpdir(), "symposium-");
  const named = words.flatMap((word) => {
    const at = word.indexOf(start);
    const [name = ""] = at === -1 ? [] : (/^[\w-]+/.exec(word.slice(at + start.length)) ?? []);
    // Skip the folder named after the user's id, since it contains sockets of all projects.
    return name === "" || /^\d+$/.test(name) ? [] : [start + name];
  });
  return [...new Set(named)].filter(isFolder);
}
