import type { StdioOptions } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlainProgram } from "../../../base/node/confinement.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import { isFolder, realPath } from "./machine-paths.js";
import { refusedRoot, type SandboxSubject } from "./sandbox-paths.js";

/** Why a sandbox does not start for these folders, with the remedy. */
export function refusedSubject({ roots, configFolder, home }: SandboxSubject): string | undefined {
  return roots.map((root) => refusedRoot(root, configFolder, home)).find((text) => text !== undefined);
}

/** The subject with the temporary folders that its command names, where it shares those. */
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
  /** An empty folder that is there. */
  readonly temporary: string;
  /** As the sandbox has it. */
  readonly home: string;
}

/** The folder that a program starts in: its own, where the sandbox has that. */
export function seenFolder(cwd: string, { subject, paths, temporary, home }: SeenFrom): string {
  const own = realPath(cwd) ?? cwd;
  if ([...paths.roots, ...paths.programs].some((root) => isWithin(own, root))) return cwd;
  // Package runners start in a folder of ours, so that no project has a word in what they run: here in an empty one.
  if (isWithin(own, realPath(subject.configFolder) ?? subject.configFolder)) return temporary;
  return subject.roots[0] ?? home;
}

type Descriptors = Extract<StdioOptions, readonly unknown[]>;

export function descriptorsOf(stdio: StdioOptions): Descriptors {
  return typeof stdio === "string" ? [stdio, stdio, stdio] : [...stdio];
}

/** The folders that this product makes for a run of a tool, such as that of its reports, as far as its command names them. */
function temporaryFolders(words: readonly string[]): readonly string[] {
  const start = join(tmpdir(), "symposium-");
  const named = words.flatMap((word) => {
    const at = word.indexOf(start);
    const [name = ""] = at === -1 ? [] : (/^[\w-]+/.exec(word.slice(at + start.length)) ?? []);
    // The one with the user's number has sockets of all projects.
    return name === "" || /^\d+$/.test(name) ? [] : [start + name];
  });
  return [...new Set(named)].filter(isFolder);
}
