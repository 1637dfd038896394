import { homedir, tmpdir } from "node:os";
import { decide } from "../../../src/guard/decision.js";
import { parseGuardFile } from "../../../src/guard/guard-rule.js";
import { guardRequest } from "../../../src/guard/node/guard-request.js";

/**
 * Returns the guard's effect for a command if the patterns in `denied` are denied. `env` contains variables that the agent sets for the
 * command.
 */
export async function effectOfCommand(
  denied: readonly string[],
  command: string,
  env?: Readonly<Record<string, string>>,
): Promise<string> {
  const file = JSON.stringify({ rules: [{ effect: "deny", command: denied }] });
  const { rules } = parseGuardFile(file, { file: "g", isOfProject: false });
  const folders = { roots: [tmpdir()], home: homedir() };
  const request = await guardRequest({ kind: "execute", rawInput: { command, env }, locations: [] }, folders);
  return decide(rules, request, folders)?.effect ?? "nobody says";
}
