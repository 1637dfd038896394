import type { Denials, NativeRules } from "../agents/registry/native-rules.js";
import { type AgentRow, agentTable } from "../agents/registry/agent-table.js";
import { memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Request } from "../base/rpc/message.js";
import type { GuardRule } from "./guard-rule.js";

/** Returns the patterns of deny rules, for agents that enforce denials themselves. */
export function denialsOf(rules: readonly GuardRule[]): Denials {
  const of = (subject: keyof Denials): readonly string[] =>
    rules
      // Agents have no denial of all hosts except some.
      .filter((rule) => rule.effect === "deny" && rule.subject === subject && !rule.except)
      .flatMap(({ patterns }) => patterns);
  return { command: of("command"), read: of("read"), write: of("write"), host: of("host"), mcp: of("mcp") };
}

/** Returns the known agent whose `agentInfo` has this name. */
export function rowNamed(name: unknown): AgentRow | undefined {
  return agentTable.find(({ says }) => typeof name === "string" && says?.name.test(name));
}

/** Returns the format in which denials are passed to an agent's sessions; undefined if the agent doesn't support them. */
export function sessionRulesOf(row: AgentRow | undefined): Extract<NativeRules, { kind: "session" }> | undefined {
  return row?.nativeRules?.kind === "session" ? row.nativeRules : undefined;
}

/** Adds denials to a request that opens a session. Keeps the client's own denials. */
export function withDenials(
  request: Request,
  { at, members }: Extract<NativeRules, { kind: "session" }>,
  rules: readonly GuardRule[],
): Request {
  if (!rules.some(({ effect }) => effect === "deny")) return request;
  let params = request.params ?? Json.of({});
  // Replaces values on the path that aren't objects, since the denials couldn't be added otherwise.
  for (let length = 1; length < at.length; length++) {
    const place = at.slice(0, length) as [string, ...string[]];
    if (!valueAt(params, place)?.object) params = withMember(params, place, Json.of({}));
  }
  const own = valueAt(params, at)?.object ?? {};
  return new Request(request.method, withMember(params, at, Json.of(members(own, denialsOf(rules)))));
}

function valueAt(json: Json, at: readonly string[]): Json | undefined {
  return at.reduce<Json | undefined>((member, name) => (member?.object ? memberOf(member, name) : undefined), json);
}
