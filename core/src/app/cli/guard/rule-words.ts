import { resolve } from "node:path";
import { invalidArguments } from "../../../base/symposium-error.js";
import { effects, ruleSubjects } from "../../../guard/guard-rule.js";
import type { NewRule } from "../../../guard/node/guard-edit.js";
import { boundText } from "../../../guard/allow-conditions.js";
import { plainText } from "../../../agents/registry/registry-entry.js";

export const ruleWords = {
  arguments: {
    "<EFFECT>": "deny, ask or allow",
    "<SUBJECT>": "command, read, write, host or mcp (a tool)",
    "<PATTERN...>": "a pattern, such as 'git push', ~/.ssh or api.example.com",
  },
  options: {
    in: { value: "DIR", about: "apply only to sessions in this folder" },
    agent: { value: "AGENT", about: "with allow: only this agent, by its name in guard.jsonc" },
    kind: { value: "KIND", about: "with allow: only calls of this kind, such as edit or execute" },
    exact: { about: "with allow: the pattern is the whole command line, file or address" },
    cwd: { value: "DIR", about: "with an exact command: only in this working folder" },
  },
} as const;

interface RuleValues {
  readonly in?: string | undefined;
  readonly agent?: string | undefined;
  readonly kind?: string | undefined;
  readonly exact?: boolean | undefined;
  readonly cwd?: string | undefined;
}

export function ruleOfWords(values: RuleValues, [given, about, ...patterns]: readonly string[]): NewRule {
  const effect = effects.find((one) => one === given);
  const subject = ruleSubjects.find((one) => one === about);
  if (effect === undefined || subject === undefined) {
    throw invalidArguments(
      `A rule can't begin with ${given ?? ""} ${about ?? ""}.`,
      `Give ${effects.join(", ")}, then ${ruleSubjects.join(", ")}, as in \`guard add allow host api.example.com\`.`,
    );
  }
  const { agent, kind, exact, cwd } = values;
  return {
    effect,
    subject,
    patterns,
    ...(exact === true && { exact }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(kind !== undefined && { kind }),
    ...(agent !== undefined && { agent }),
    ...(values.in !== undefined && { in: values.in.startsWith("~/") ? values.in : resolve(values.in) }),
  };
}

export function ruleText({ effect, subject, patterns, in: folder, ...bounds }: NewRule): string {
  const narrowed = boundText({ ...bounds, ...(folder !== undefined && { in: folder }) });
  return plainText(`${effect} ${subject} ${patterns.join(", ")}${narrowed}`, 4_000);
}
