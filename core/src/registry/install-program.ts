import { type Fault, fault } from "../settings/fault.js";
import { type NamePlatform, nameProblem } from "./install-name.js";

/**
 * The path of an archive's program below the extraction root, as names, from any of the spellings in registries:
 * `./goose`, `bin/goose`, `.\goose\goose.exe`, `goose`. A path that could lead elsewhere is a problem.
 */
export function programPath(spelled: string, platform: NamePlatform): readonly string[] | Fault {
  const refused = (reason: string): Fault =>
    fault(
      `The program ${JSON.stringify(spelled)} of the archive ${reason}.`,
      "Correct the entry, or report it to its registry.",
    );
  if (/^[/\\]|^[a-z]:/i.test(spelled)) return refused("has an absolute path");
  const path = spelled.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
  if (path.length === 0) return refused("has no name");
  if (path.includes("..")) return refused("lies outside its folder");
  const bad = path.find((part) => nameProblem(part, platform) !== undefined);
  return bad === undefined ? path : refused(nameProblem(bad, platform) ?? "");
}
