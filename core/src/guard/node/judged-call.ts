import { realpath } from "node:fs/promises";
import { type Decision, decide, type GuardedCall } from "../decision.js";
import { subjectText } from "../guard-record.js";
import type { GuardRule } from "../guard-rule.js";
import type { PatternFolders } from "../path-pattern.js";
import { isHeldRequest } from "../sandbox/sandboxed-request.js";
import { guardRequest } from "./guard-request.js";

/**
 * What the rules say of a tool call in a session with these folders, what the call is about in a few words, and whether a sandbox
 * that is open for the folders would hold it.
 */
export async function judgedCall(
  rules: readonly GuardRule[],
  call: GuardedCall,
  folders: PatternFolders,
): Promise<{ readonly decision: Decision | undefined; readonly subject: string; readonly isHeld: boolean }> {
  const request = await guardRequest(call, folders);
  const reals = await Promise.all(folders.roots.map((root) => realpath(root).catch(() => root)));
  const known = { ...folders, roots: [...new Set([...folders.roots, ...reals])] };
  return {
    decision: decide(rules, request, known),
    subject: subjectText(request),
    isHeld: isHeldRequest(call.kind, request, known.roots),
  };
}
