import { isAllowedVariable } from "../../../agents/registry/allowed-entry-variables.js";
import { asObject, isStrings } from "../../../base/rpc/json.js";
import type { Command } from "../../../base/command.js";
import { describeValue } from "../../../settings/shape.js";
import { checked, type Finding } from "../findings/finding.js";

/** Extension in its author's folder. */
export interface ExtensionTarget {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly command?: Command;
}

interface StartMetadata {
  readonly binary?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
}

/**
 * Reads `binary`, `args` and `env` from the table at `place`, such as `[package.metadata.symposium]`; a missing table is valid. Reports
 * members that are malformed, unknown, or dropped when users start the extension.
 */
export function readStartMetadata(value: unknown, place: string, keys: readonly string[]): StartMetadata {
  const { fail, warn } = checked("metadata");
  if (value === undefined || value === null) return { args: [], env: {}, findings: [] };
  const table = asObject(value);
  if (!table) {
    const text = `${place} must be a table, got ${describeValue(value)}`;
    return { args: [], env: {}, findings: [fail(text, `Known keys: ${keys.join(", ")}.`)] };
  }
  const findings = Object.keys(table)
    .filter((key) => !keys.includes(key))
    .map((key) => warn(`${place} has the unknown key "${key}"`, `Known keys: ${keys.join(", ")}.`));
  const { binary, args, env } = table;
  if (binary !== undefined && typeof binary !== "string") {
    findings.push(
      fail(`${place} binary must be a string, got ${describeValue(binary)}`, "Write the name of one program."),
    );
  }
  if (args !== undefined && !isStrings(args)) {
    findings.push(
      fail(`${place} args must be a list of strings, got ${describeValue(args)}`, 'Write args = ["--one", "--two"].'),
    );
  }
  const variables = asObject(env);
  if (env !== undefined && !variables) {
    findings.push(
      fail(`${place} env must be a table, got ${describeValue(env)}`, 'Write env = { NAME = "value" } (or JSON).'),
    );
  }
  const usable = Object.entries(variables ?? {}).flatMap(([name, text]): [string, string][] => {
    const problem = variableProblem(name, text, place);
    if (problem) findings.push(problem);
    return problem === undefined && typeof text === "string" ? [[name, text]] : [];
  });
  return {
    ...(typeof binary === "string" && { binary }),
    args: isStrings(args) ? args : [],
    env: Object.fromEntries(usable),
    findings,
  };
}

/** Omits the variable's value, which may be a secret. */
function variableProblem(name: string, value: unknown, place: string): Finding | undefined {
  const { fail } = checked("metadata");
  if (!isAllowedVariable(name)) {
    return fail(`${place} env sets ${name}, which an extension may not set`, "Use another variable name.");
  }
  if (typeof value === "string") return undefined;
  return fail(`${place} env has a value for ${name} that isn't a string`, "Put it in quotes.");
}
