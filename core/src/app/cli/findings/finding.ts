import type { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import { asObject } from "../../../base/rpc/json.js";
import type { Style } from "../style.js";

/** What one check came to. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  /** `warn`: something may be missing. `fail`: an agent cannot be used like this. */
  readonly status: "ok" | "warn" | "fail";
  /** What was found. */
  readonly text: string;
  /** The next step, where one is needed. */
  readonly remedy?: string;
  /** What is missing, for a program that has a remedy of its own. */
  readonly missing?: "tool" | "language-server" | "configuration" | "sign-in" | "approval";
  /** Where what is missing is to be had. */
  readonly website?: string;
}

/** Makes the findings of one check. */
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

/** Findings for people: a line each, and a remedy below it. */
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

/** What an agent or a component refuses, with the hint that it carries as the remedy. */
export function refusalFinding(check: string, { reason, error, data }: AgentRefusal, remedy?: string): Finding {
  const text = reason ?? JSON.stringify(error);
  const hint = asObject(data)?.["hint"];
  const { fail } = checked(check);
  return typeof hint === "string" ? fail(text.replace(hint, "").trim(), hint) : fail(text, remedy);
}
