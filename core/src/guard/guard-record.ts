import type { Effect } from "./guard-rule.js";
import type { GuardRequest } from "./decision.js";

/** One decision of the guard, as it is kept: who wanted what kind of thing, and which rule answered. No contents. */
export interface GuardRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly agent: string;
  readonly session: string;
  /** Such as `command git`, `write /project/a.ts`, `host example.com:443` or `mcp github/get_issue`. */
  readonly subject: string;
  /** `FILE:LINE`, or what else decided; absent where a command could not be read. */
  readonly rule?: string;
  readonly answer: Effect;
}

/** What a request is about, in a few words; of a command its programs alone, since the rest may hold secrets. */
export function subjectText({ command, paths, tools, host }: GuardRequest): string {
  if (tools.length > 0) return tools.map(({ server, tool }) => `mcp ${server}/${tool}`).join(" or ");
  if (command) {
    const names = new Set(command.programs.map(([program = ""]) => program));
    return `command ${[...names].join(", ") || "that cannot be read"}`;
  }
  if (host) return `host ${host.name}:${host.port}`;
  return paths.map(({ use, path }) => `${use} ${path}`).join(", ") || "nothing that rules know";
}
