import type { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import { asObject } from "../../../base/rpc/json.js";
import type { Style } from "../style.js";

export interface Finding {
  readonly check: string;
  /** `warn`: something may be missing. `fail`: the agent can't be used in this state. */
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** Next step for the user, if one is needed. */
  readonly remedy?: string;
  /** Kind of missing item, so that programs can offer their own remedy. */
  readonly missing?: "tool" | "language-server" | "configuration" | "sign-in" | "approval";
  readonly website?: string;
}

export function checked(check: string) {
  const finding = (status: Finding["status"], text: string, remedy?: string): Finding => {
    return { check, status, text, ...(remedy !== undefined && { remedy }) };
  };
  return {
    ok: (text: string) => finding("ok", text),
    warn: (text: string, remedy?: string) => finding("warn", text, remedy),
    fail: (text: string, remedy?: string) => finding("fail", text, remedy),
  };
}

export function findingLines(findings: readonly Finding[], style: Style): string {
  const paint = { ok: style.green.bind(style), warn: style.yellow.bind(style), fail: style.red.bind(style) };
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .flatMap(({ check, status, text, remedy }) => {
      const name = `  ${check.padEnd(width)}  `;
      const indent = " ".repeat(4 + name.length);
      return [
        `${paint[status](status.padEnd(4))}${name}${text}`,
        ...(remedy === undefined ? [] : [`${indent}${style.dim(remedy)}`]),
      ];
    })
    .join("\n");
}

export function refusalFinding(check: string, { reason, error, data }: AgentRefusal, remedy?: string): Finding {
  const text = reason ?? JSON.stringify(error);
  const hint = asObject(data)?.["hint"];
  const { fail } = checked(check);
  return typeof hint === "string" ? fail(text.replace(hint, "").trim(), hint) : fail(text, remedy);
}
