import type { Effect } from "./guard-rule.js";
import type { GuardRequest } from "./decision.js";

/** Log entry of a guard decision: the agent, the kind of request and the rule that decided. Contains no file contents or arguments. */
export interface GuardRecord {
  /** Time of the decision in ISO 8601 format. */
  readonly time: string;
  readonly agent: string;
  readonly session: string;
  /** Subject of the request, for example `command git`, `write /project/a.ts`, `host example.com:443` or `mcp github/get_issue`. */
  readonly subject: string;
  /** Location of the rule as `FILE:LINE`, or another reason for the decision; undefined if a command was unreadable. */
  readonly rule?: string;
  readonly answer: Effect;
}

/** Describes a request briefly. Shows only a command's programs, since the arguments may contain secrets. */
export function subjectText({ command, paths, tools, host }: GuardRequest): string {
  if (tools.length > 0) return tools.map(({ server, tool }) => `mcp ${server}/${tool}`).join(" or ");
  if (command) {
    const names = new Set(command.programs.map(([program = ""]) => program));
    return `command ${[...names].join(", ") || "that cannot be read"}`;
  }
  if (host) return `host ${host.name}:${host.port}`;
  return paths.map(({ use, path }) => `${use} ${path}`).join(", ") || "nothing that rules know";
}
