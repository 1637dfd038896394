import { homedir, tmpdir } from "node:os";
import { decide } from "../../../src/guard/decision.js";
import { parseGuardFile } from "../../../src/guard/guard-rule.js";
import { guardRequest } from "../../../src/guard/node/guard-request.js";

/** What becomes of a command, with variables that the agent sets beside it, where the patterns are denied. */
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
