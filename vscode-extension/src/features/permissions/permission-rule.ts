import * as z from "zod/mini";
import { ruleScopeSchema } from "../../../protocol/index.js";
import { type CheckedPath, isInside } from "./checked-path.js";
import { prefixLength } from "./command-prefix.js";
import type { PermissionSubject } from "./permission-subject.js";

/** What a rule is about. */
export const ruleSubjectSchema = z.discriminatedUnion("type", [
  /** One command line, word for word. */
  z.object({ type: z.literal("command"), text: z.string() }),
  /** One program with these first words, and further ones that lead nowhere else. */
  z.object({ type: z.literal("command-prefix"), words: z.array(z.string()) }),
  /** Files of the session's roots, but for those with secrets and settings. */
  z.object({ type: z.literal("workspace") }),
  /** The same in one folder; absolute. */
  z.object({ type: z.literal("folder"), path: z.string() }),
  /** One file, wherever it is; absolute, links followed. */
  z.object({ type: z.literal("path"), path: z.string() }),
  /** Addresses of one scheme and host. */
  z.object({ type: z.literal("origin"), origin: z.string() }),
  /** The same request again, by the hash of its input. */
  z.object({ type: z.literal("same"), print: z.string(), title: z.string() }),
]);
export type RuleSubject = z.infer<typeof ruleSubjectSchema>;

/** An answer that holds for more than one request. It binds one agent and one kind of tool. */
export const permissionRuleSchema = z.object({
  id: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  toolKind: z.string(),
  effect: z.enum(["allow", "reject"]),
  scope: ruleScopeSchema,
  /** Of a session's rule. */
  sessionId: z.optional(z.string()),
  subject: ruleSubjectSchema,
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
});
export type PermissionRule = z.infer<typeof permissionRuleSchema>;

const fileVerbs: Readonly<Record<string, string>> = {
  read: "read",
  edit: "change",
  delete: "delete",
  move: "move",
  search: "search",
};

/** The widest rule that says no more than a user who allows `asked` would expect; undefined when none is sensible. */
export function proposedSubject(asked: PermissionSubject): RuleSubject | undefined {
  const { command, paths, origin, toolKind, title, print, isUserOnly } = asked;
  if (isUserOnly) return undefined;
  if (command) {
    if (!command.cwd.isInside) return undefined;
    const length = command.words === undefined ? undefined : prefixLength(command.words);
    const words = command.words?.slice(0, length);
    const prefix: RuleSubject | undefined =
      length === undefined || words === undefined ? undefined : { type: "command-prefix", words };
    return prefix && covers(prefix, asked) ? prefix : { type: "command", text: command.text };
  }
  if (Object.hasOwn(fileVerbs, toolKind) && paths.length > 0) {
    if (paths.every(isOrdinary)) return { type: "workspace" };
    const [first] = paths;
    if (first !== undefined && paths.every(({ real }) => real === first.real))
      return { type: "path", path: first.real };
  }
  if (toolKind === "fetch" && origin !== undefined && paths.length === 0) return { type: "origin", origin };
  return { type: "same", print, title };
}

/** Whether `rule` answers `asked`. */
export function ruleMatches(rule: PermissionRule, asked: PermissionSubject): boolean {
  if (asked.isUserOnly || rule.agentId !== asked.agentId || rule.toolKind !== asked.toolKind) return false;
  if (rule.scope === "session" && rule.sessionId !== asked.sessionId) return false;
  return covers(rule.subject, asked);
}

function covers(subject: RuleSubject, asked: PermissionSubject): boolean {
  const { command, paths } = asked;
  const isFileWork = !command && paths.length > 0;
  switch (subject.type) {
    case "command":
      return command?.text === subject.text && command.cwd.isInside;
    case "command-prefix":
      return (
        command?.words !== undefined &&
        command.cwd.isInside &&
        subject.words.length > 0 &&
        subject.words.every((word, index) => command.words?.[index] === word) &&
        command.isTame.slice(subject.words.length).every(Boolean) &&
        paths.every(isOrdinary)
      );
    case "workspace":
      return isFileWork && paths.every(isOrdinary);
    case "folder":
      return isFileWork && paths.every((path) => isOrdinary(path) && isInside(path.real, subject.path));
    case "path":
      return isFileWork && paths.every(({ real }) => real === subject.path);
    case "origin":
      return !command && paths.length === 0 && asked.origin === subject.origin;
    case "same":
      return asked.print === subject.print;
  }
}

function isOrdinary(path: CheckedPath): boolean {
  return path.isInside && !path.isSensitive;
}

/** What a rule says, such as `run npm test …`; the end of "Always allow the agent to …". */
export function describeRule(subject: RuleSubject, toolKind: string): string {
  const verb = (Object.hasOwn(fileVerbs, toolKind) ? fileVerbs[toolKind] : undefined) ?? "use";
  switch (subject.type) {
    case "command":
      return `run exactly ${subject.text}`;
    case "command-prefix":
      return `run ${subject.words.join(" ")} …`;
    case "workspace":
      return `${verb} files in the workspace`;
    case "folder":
      return `${verb} files in ${subject.path}`;
    case "path":
      return `${verb} ${subject.path}`;
    case "origin":
      return `fetch from ${subject.origin}`;
    case "same":
      return `do exactly this again: ${subject.title}`;
  }
}
