import type { HookEvent, HookGroup, HookHandler } from "../../settings/hooks.js";
import { concerns } from "../command-pattern.js";
import { matchesPath } from "../path-pattern.js";
import { stringOf } from "../../base/rpc/json.js";
import { matchesStars } from "../../base/star-pattern.js";
import type { ClaudeCall } from "./claude-tools.js";

/** Earlier names of Claude Code's tools, which existing matchers use. */
const oldNames: Readonly<Record<string, string>> = { Agent: "Task" };

/** Member of an event's input that matchers select by. Other events ignore matchers. */
const selectors: Readonly<Partial<Record<HookEvent, string>>> = {
  SessionStart: "source",
  PreToolUse: "tool_name",
  PermissionRequest: "tool_name",
  PostToolUse: "tool_name",
  Notification: "notification_type",
  SubagentStop: "agent_type",
  SessionEnd: "reason",
};

/** Whether a group's hooks run for an event; `input` is the event's JSON. */
export function isSelected(
  { matcher }: HookGroup,
  event: HookEvent,
  input: Readonly<Record<string, unknown>>,
): boolean {
  const selector = selectors[event];
  if (selector === undefined || matcher === undefined || matcher === "" || matcher === "*") return true;
  const value = stringOf(input[selector]) ?? "";
  const old = selector === "tool_name" ? oldNames[value] : undefined;
  const names = old === undefined ? [value] : [value, old];
  if (/^[\w\s,|-]+$/.test(matcher)) {
    const wanted = matcher.split(/[|,]/).map((one) => one.trim());
    return names.some((name) => wanted.includes(name));
  }
  return names.some((name) => new RegExp(matcher).test(name));
}

/**
 * Whether a handler's `if` rule matches a tool call, as in `Bash(git *)` or `Edit(src/**)`. Without a call, a handler with a rule never runs.
 * Prefers false matches, as Claude Code does: the hook then decides.
 */
export function meetsCondition(
  { if: rule }: HookHandler,
  call: ClaudeCall | undefined,
  cwd: string,
  home: string,
): boolean {
  if (rule === undefined) return true;
  if (!call) return false;
  const [, tool = rule, pattern] = /^([^()]+)\((.*)\)$/s.exec(rule.trim()) ?? [];
  if (tool !== call.tool && tool !== oldNames[call.tool] && !matchesStars(tool, call.tool)) return false;
  if (pattern === undefined || pattern === "" || pattern === "*") return true;
  const { command, file_path: file, url } = call.input;
  if (typeof command === "string") return isCommandOf(pattern, command);
  if (typeof file === "string") return matchesPath(pattern, { path: file, real: file }, { roots: [cwd], home });
  if (typeof url === "string") return isOfHost(pattern, url);
  return true;
}

function isCommandOf(pattern: string, command: string): boolean {
  const bare = pattern.replace(/(?::\*|\s\*)$/, "").trim();
  if (concerns(bare, command)) return true;
  // Claude Code can't read what these start, so patterns with arguments run the hook.
  return /\s/.test(bare) && /[`$]/.test(command);
}

function isOfHost(pattern: string, url: string): boolean {
  const [, host = pattern] = /^domain:(.*)$/.exec(pattern) ?? [];
  const [, named] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:]+)/.exec(url.toLowerCase()) ?? [];
  return named === undefined || matchesStars(host.toLowerCase(), named);
}
