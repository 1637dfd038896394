import type { CheckedPath } from "@symposium-dev/core/node";
import type { PermissionSubject } from "./permission-subject.js";

const writingKinds: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

/** Paths for which the user allowed a tool call, until a write has used it. Reads are free meanwhile. */
export class PathGrants {
  readonly #sessions = new Map<string, Map<string, "read" | "write">>();

  add(sessionId: string, { toolKind, paths }: PermissionSubject): void {
    const grants = this.#sessions.get(sessionId) ?? new Map<string, "read" | "write">();
    this.#sessions.set(sessionId, grants);
    for (const { real } of paths) {
      if (writingKinds.has(toolKind)) grants.set(real, "write");
      else if (!grants.has(real)) grants.set(real, "read");
    }
  }

  covers(sessionId: string, { real }: CheckedPath, use: "read" | "write"): boolean {
    const grants = this.#sessions.get(sessionId);
    const granted = grants?.get(real);
    if (use === "read") return granted !== undefined;
    if (granted === "write") grants?.set(real, "read");
    return granted === "write";
  }

  sessionEnded(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }
}
